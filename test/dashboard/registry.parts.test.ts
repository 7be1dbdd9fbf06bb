// The registry and an agent's page in the browser: found, called from a form, set up, remembered; with what
// the database then says.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveCaterer } from './caterer.ts';
import { type DashboardWorld, dashboardWorld, type OpenOptions, settled, shoot, violations, WIDTHS } from './dashboard.ts';

let it: DashboardWorld;
let caterer: Awaited<ReturnType<typeof serveCaterer>>;
let at = '';
beforeAll(async () => {
  it = await dashboardWorld();
  const ben = await it.world.as('ben').auth.session();
  caterer = await serveCaterer(it.world.ctx, ben.user?.user_id ?? '');
  at = `/agents/${caterer.name}`;
});
afterAll(async () => {
  await caterer.stop();
  await it.close();
});

async function opened(path: string, options: OpenOptions = { who: 'ada' }): Promise<Page> {
  const one = await it.open(path, options);
  await settled(one);
  return one.page;
}

const close = (page: Page): Promise<void> => page.context().close();
const isSet = async (): Promise<void> =>
  void (await it.world.as('ada').consumerSetup.put({ params: { name: caterer.name }, body: { values: { region: 'Bern' } } }));

test('signed out the registry has public agents alone, and their pages', async () => {
  const page = await opened('/agents', {});
  const list = page.getByRole('table', { name: 'Agents' });
  await list.getByRole('link', { name: caterer.name }).waitFor();
  expect(await list.getByRole('link', { name: it.world.records.name ?? '' }).count()).toBe(0);
  await list.getByRole('link', { name: 'food' }).click();
  await page.waitForURL(/tag=food/);
  await page.getByRole('link', { name: caterer.name }).click();
  await page.getByRole('table', { name: 'arguments of order' }).getByText('contact.address').or(page.getByText('contact: mail')).first().waitFor();
  await page.getByRole('link', { name: 'Try pay' }).click();
  await page.getByRole('link', { name: 'Sign in to call it' }).waitFor();
  await close(page);
});

test('the search follows what one types, and stands in the address', async () => {
  const page = await opened('/agents');
  const name = it.world.records.name ?? '';
  await page.getByLabel('Search agents').fill(name);
  await page.waitForURL(new RegExp(`q=${name}`));
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name }) });
  await row.getByText('yours').waitFor();
  await page.getByLabel('State').selectOption('Failed');
  await page.getByText('No agent was found').waitFor();
  await page.reload();
  expect(await page.getByLabel('Search agents').inputValue()).toBe(name);
  expect(await page.getByLabel('State').inputValue()).toBe('failed');
  await close(page);
});

test('a form says at its fields what is wrong, and sends exactly what it holds; JSON beside it is the same value', async () => {
  await isSet();
  const page = await opened(`${at}/skills/order`);
  const form = page.getByRole('form', { name: 'Arguments of order' });
  await form.getByRole('button', { name: 'Run', exact: true }).click();
  await form.getByText('Required').first().waitFor();
  expect(await page.evaluate('document.activeElement?.tagName')).toBe('SELECT');
  await form.getByLabel('Dish').selectOption('Pie');
  await form.getByLabel('Guests').fill('501');
  await form.getByText('A whole number from 1 to 500').waitFor();
  await form.getByLabel('Guests').fill('12');
  await form.getByLabel('Contact type').selectOption('phone');
  await form.getByLabel('Number').fill('+41 31 1');
  await form.getByRole('button', { name: 'Add an item to Courses' }).click();
  await form

    .getByRole('group', { name: 'Course 1' })
    .getByLabel('Name')
    .fill('Tart');
  await form.locator('input[type=file]').setInputFiles({ name: 'menu.txt', mimeType: 'text/plain', buffer: Buffer.from('soup') });
  await form.getByLabel('Add to Labels').fill('table');
  await form.getByLabel('Add to Labels').press('Enter');
  await form.getByRole('textbox', { name: 'table', exact: true }).fill('"9"');
  await form.getByText('JSON', { exact: true }).click();
  const editor = form.getByRole('textbox', { name: 'Arguments of order as JSON' });
  await editor.waitFor();
  expect(JSON.parse((await editor.locator('.cm-line').allTextContents()).join('\n'))).toMatchObject({ dish: 'pie', guests: 12, courses: [{ name: 'Tart' }] });
  await editor.fill('{"dish": "pie",\n"guests": }');
  await form.getByText(/^Line 2, column 11/).waitFor();
  await form.getByText('Form', { exact: true }).click();
  expect(await form.getByLabel('Guests').inputValue()).toBe('12');
  await shoot(page, 'try-form-desk-light');
  await form.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('succeeded').waitFor();
  const result: unknown = JSON.parse(await page.getByRole('group', { name: 'result' }).locator('pre').innerText());
  expect(result).toEqual({
    dish: 'pie',
    guests: 12,
    contact: { by: 'phone', number: '+41 31 1' },
    courses: [{ name: 'Tart' }],
    menu: 'data:text/plain;base64,c291cA==',
    labels: { table: '"9"' },
  });
  await page.getByRole('link', { name: /^rcp_/ }).waitFor();
  expect(await it.world.ctx.db('receipts').where({ skill: 'order' }).select('status')).toEqual([{ status: 'ok' }]);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Trust' }).click();
  await page.getByRole('link', { name: 'Receipts' }).click();
  await page.getByRole('row').filter({ hasText: 'order' }).waitFor();
  await close(page);
});

test('a skill that streams is followed; its words are text', async () => {
  await isSet();
  const page = await opened(`${at}/skills/cook`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('succeeded').waitFor();
  await page.getByText('<b>Not</b> markup, only text.').waitFor();
  await shoot(page, 'try-done-desk-light');
  await close(page);
});

test('what only the agent knows to be wrong stands at its field, until it is changed', async () => {
  await isSet();
  const page = await opened(`${at}/skills/pay`);
  await page.getByLabel('Iban').fill('DE1');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const field = page.getByRole('form').getByText('must be Swiss');
  await field.waitFor();
  await page.getByLabel('Iban').fill('CH1');
  await field.waitFor({ state: 'detached' });
  await close(page);
});

test('what an agent needs of its caller is set with a form; a secret is not shown again', async () => {
  const name = caterer.name;
  await it.world.as('ada').consumerSetup.put({ params: { name }, body: { values: { region: null } } });
  const page = await opened(`${at}/skills/cook`);
  await page.getByRole('link', { name: 'Set it' }).click();
  await page.getByRole('textbox', { name: 'Region' }).fill('Basel');
  await page.getByLabel('Key of the card').fill('s3cret');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('set by you').first().waitFor();
  const setup = await it.world.as('ada').consumerSetup.get({ params: { name } });
  expect(setup).toMatchObject({ complete: true, fields: [{ value: 'Basel' }, { source: 'user', value: null }, { source: 'default' }] });
  expect((await page.content()).includes('s3cret')).toBe(false);
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'setup-rich-desk-light');
  await close(page);
});

test('the memory takes an entry, finds it, and forgets it', async () => {
  const page = await opened(`${at}/memory`);
  await page.getByRole('button', { name: 'Add an entry' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Key').fill('colors/best');
  await dialog.getByRole('textbox', { name: 'Value', exact: true }).fill('{"color": "deep blue"}');
  await shoot(page, 'memory-add-desk-light');
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Remember' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByLabel('Search the memory').fill('blue');
  await page.waitForURL(/q=blue/);
  const row = page.getByRole('table', { name: 'Entries found' }).getByRole('row').filter({ hasText: 'colors/best' });
  await row.getByRole('button', { name: 'Forget' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await it.world.ctx.db('agent_memories').where({ key: 'colors/best' })).toEqual([]);
  await close(page);
});

test('an installed agent is at hand', async () => {
  const page = await opened(at);
  await page.getByRole('button', { name: 'Install' }).click();
  await page.getByRole('button', { name: 'Uninstall' }).waitFor();
  await page.goto(`${it.address}/agents?show=installed`);
  await page.getByRole('link', { name: caterer.name }).waitFor();
  await close(page);
});

test('the page of an agent with much to say is right at a desk and on a phone', async () => {
  for (const [name, path] of [
    ['overview', at],
    ['try', `${at}/skills/order`],
  ] as const) {
    const page = await opened(path);
    for (const width of ['desk', 'phone'] as const) {
      await page.setViewportSize(WIDTHS[width]);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
      await shoot(page, `rich-${name}-${width}`);
    }
    await close(page);
  }
});

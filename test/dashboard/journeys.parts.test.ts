// What two parties do with each other through the pages, each from its first step to its end: questions with
// a file, approvals, an invitation, a bounty, an edit that is deployed. And content that is long, or not
// English.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WAITING_EVENT } from '#contract/deploys/build-line.ts';
import type { WaitsRow } from '#db/tables.ts';
import { appendEvents } from '#core/jobs/append-event.ts';
import { type DashboardWorld, dashboardWorld, type Opened, settled, shoot, violations } from './dashboard.ts';
import { addRunStory, type RunStory } from './run-story.ts';

let it: DashboardWorld;
let story: RunStory;
let tab: Opened;
let page: Page;
beforeAll(async () => {
  it = await dashboardWorld();
  story = await addRunStory(it.world);
  tab = await it.open('/', { who: 'ada' });
  ({ page } = tab);
});
afterAll(() => it.close());

const ada = () => it.world.as('ada');
const ben = () => it.world.as('ben');
const button = (name: string, on = page) => on.getByRole('button', { name, exact: true });
const wait = (kind: WaitsRow['kind']) => it.world.ctx.db('waits').where({ run_id: story.waiting, kind });
async function go(path: string): Promise<void> {
  await page.goto(it.address + path);
  await settled(tab);
}

test('a handoff is approved after its arguments were read; a wider grant shows what is new before it is given', async () => {
  const handoff = await wait('handoff_approval').first('wait_id');
  const scope = await wait('scope_request').first('wait_id');
  await go('/inbox');
  const card = page.locator(`[data-wait="${handoff?.wait_id}"]`);
  await card.getByText('postman').first().waitFor();
  await card.getByText('ada@example.test').waitFor();
  await button('Approve').and(card.getByRole('button')).click();
  await card.getByText('Sent. The skill continues.').waitFor();
  expect(await wait('handoff_approval').first('state')).toEqual({ state: 'approved' });

  const wider = page.locator(`[data-wait="${scope?.wait_id}"]`);
  const rows = wider.getByRole('row');
  await rows.filter({ hasText: 'reports/2026/**' }).getByText('new').waitFor();
  await rows.filter({ hasText: 'notes/**' }).first().waitFor();
  await wider.getByRole('button', { name: 'Approve' }).click();
  await wider.getByText('Sent. The skill continues.').waitFor();
  expect(await wait('scope_request').first('state')).toEqual({ state: 'approved' });
  expect(tab.complaints).toEqual([]);
});

test('a question that wants a file is answered with one', async () => {
  const { ctx } = it.world;
  const [question] = await wait('input_request').select('wait_id');
  const schema = {
    type: 'object',
    properties: { chart: { type: 'string', title: 'Chart', contentEncoding: 'base64', contentMediaType: 'text/plain' } },
    required: ['chart'],
  };
  await ctx
    .db('waits')
    .where({ wait_id: question?.wait_id ?? '' })
    .update({ prompt: 'Which chart applies?', request: JSON.stringify({ schema }) });
  await go('/inbox');
  const card = page.locator(`[data-wait="${question?.wait_id}"]`);
  await card.getByText('Which chart applies?').waitFor();
  await card.locator('input[type=file]').setInputFiles({ name: 'berth.txt', mimeType: 'text/plain', buffer: Buffer.from('Berth 7') });
  await card.getByText('berth.txt').waitFor();
  await card.getByRole('button', { name: /^(Answer|Send)/ }).click();
  await card.getByText('Sent. The skill continues.').waitFor();
  expect(
    JSON.stringify(
      await ctx
        .db('waits')
        .where({ wait_id: question?.wait_id ?? '' })
        .first('resolution'),
    ),
  ).toContain(btoa('Berth 7'));
  expect(tab.complaints).toEqual([]);
});

test('files are shared and the grant is revoked; its list and its page show when', async () => {
  await go('/grants');
  await button('Share files').click();
  const dialog = page.getByRole('dialog', { name: 'Share files with an agent' });
  await dialog.getByRole('combobox', { name: 'Agent' }).fill(it.world.records.name ?? '');
  await page.keyboard.press('Tab');
  await dialog.getByRole('combobox', { name: 'Files it may see' }).fill('harbour/**');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Create grant' }).click();
  await page.getByText('The token is shown this once.').waitFor();
  await button('Close').last().click();
  const row = page.getByRole('table', { name: 'Grants' }).getByRole('row').filter({ hasText: 'harbour/**' });
  await row.getByRole('link').first().click();
  await button('Revoke').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText(/^Grant for .* revoked\.$/).waitFor();
  await page.getByText('Revoked', { exact: true }).waitFor();
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Grants' }).click();
  await row
    .getByText(/^revoked/)
    .last()
    .waitFor();
  expect(tab.complaints).toEqual([]);
});

test('an invitation says that no mail was sent, and its link is accepted by whom it is for', async () => {
  const { email } = await ben().auth.me();
  await ada().organizations.create({ body: { slug: 'pilots', name: 'Pilots' } });
  await go('/organizations/pilots?edit=new');
  await page.getByLabel('E-mail address').fill(email);
  await button('Create invitation').click();
  await page.getByText('No mail was sent. Give them this link:').waitFor();
  const url = await page.getByText(/\/invitation#/).innerText();
  const theirs = await it.open(new URL(url).pathname + new URL(url).hash, { who: 'ben' });
  await button('Accept the invitation', theirs.page).click();
  await theirs.page.getByRole('table', { name: 'Organizations' }).getByText('Pilots').first().waitFor();
  const { items } = await ada().organizations.members({ params: { slug: 'pilots' }, query: {} });
  expect(items).toContainEqual(expect.objectContaining({ email, state: 'active', role: 'developer' }));
  expect([...tab.complaints, ...theirs.complaints]).toEqual([]);
  await theirs.page.context().close();
});

test('a bounty is posted, claimed by another with an agent, and ends as fulfilled', async () => {
  const agent = it.world.records.name ?? '';
  await it.world.ctx.db('agents').where({ name: agent }).update({ visibility: 'public' });
  const theirs = await it.open('/bounties?edit=new', { who: 'ben' });
  await theirs.page.getByRole('textbox', { name: /^title/i }).fill('Read tide tables');
  await theirs.page.getByRole('textbox', { name: /^description/i }).fill('From photos of the board.');
  await theirs.page.getByRole('button', { name: /^Post/ }).click();
  await theirs.page.getByRole('heading', { name: 'Read tide tables' }).waitFor();

  await go('/bounties');
  await page.getByRole('link', { name: 'Read tide tables' }).click();
  await button('Claim bounty').click();
  await page.getByRole('combobox', { name: 'Agent' }).fill(agent);
  await page.keyboard.press('Tab');
  await button('Claim bounty').last().click();
  await page.getByText('claimed', { exact: true }).first().waitFor();

  await theirs.page.reload();
  await button('Mark as fulfilled', theirs.page).click();
  await theirs.page.getByRole('dialog').getByRole('button', { name: 'Mark as fulfilled' }).click();
  await theirs.page.getByText('fulfilled', { exact: true }).first().waitFor();
  expect([...tab.complaints, ...theirs.complaints]).toEqual([]);
  await theirs.page.context().close();
});

test('an agent is edited and deployed in the page; while it waits, the page says at which place, and it can be cancelled', async () => {
  const { name } = await ada().agents.fromSource({ body: { name: 'edited-here' } });
  await go(`/agents/mine/${name}/source`);
  await button('Switch the editor on').click();
  for (const [path, text] of [
    ['svc.yaml', `name: ${name}\nversion: 1.0.0\nentrypoint: agent:Edited`],
    ['agent.ts', 'export class Edited {}'],
  ] as const) {
    await button('New file').click();
    await page.getByLabel('Path').fill(path);
    await button('Create file').click();
    await page.getByRole('textbox', { name: `Text of ${path}` }).fill(text);
  }
  await page.getByLabel('Commit 2 files').fill('Describe it');
  await button('Commit and deploy').click();
  await page.waitForURL(/\/deployments\/dep_/);
  const [newest] = await ada().agents.deployments({ params: { name }, query: { limit: 1 } });
  await appendEvents(it.world.ctx.db, newest?.job_id ?? '', [{ kind: WAITING_EVENT, payload: { place: 3, own_before: 0, seconds: 240 } }]);
  const waiting = page.getByRole('alert').filter({ hasText: 'Waiting for a builder: 3rd in line, about 4 min' });
  await waiting.waitFor();
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'deployment-queued');
  await button('Cancel').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click();
  await page.getByText('The deployment is being cancelled.').waitFor();
  expect(tab.complaints).toEqual([]);
});

test('a thousand files are a list that is read on as it is scrolled; names in Arabic and Chinese stay in their direction', async () => {
  const { ctx } = it.world;
  const { user_id } = await ada().auth.me();
  const [like] = await ctx.db('files').where({ owner_id: user_id }).limit(1);
  const names = [...Array.from({ length: 1_000 }, (_, n) => `many/${String(n).padStart(4, '0')}.txt`), 'many/تقرير الميناء.txt', 'many/港口报告.txt'];
  await ctx.db.batchInsert(
    'files',
    names.map((path) => ({ ...like, path })),
    200,
  );
  await go('/files?folder=many/');
  const rows = page.getByRole('table', { name: 'Files' }).getByRole('row');
  let shown = await rows.count();
  expect(shown).toBeLessThan(200);
  while (shown <= names.length) {
    await rows.last().scrollIntoViewIfNeeded();
    const before = shown;
    await expect.poll(() => rows.count()).toBeGreaterThan(before);
    shown = await rows.count();
  }
  await page.locator('a:dir(rtl)', { hasText: 'تقرير الميناء.txt' }).waitFor();
  await page.getByRole('link', { name: '港口报告.txt' }).waitFor();
  expect(tab.complaints).toEqual([]);
});

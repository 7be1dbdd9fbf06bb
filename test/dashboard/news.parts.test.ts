// Lists follow what happens elsewhere: told, not asked for. A browser has one stream, however many tabs; what
// it missed is read anew.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '#core/jobs/create.ts';
import { inTx } from '#core/kernel/tx.ts';
import { type DashboardWorld, dashboardWorld, settled, shoot, violations } from './dashboard.ts';

let it: DashboardWorld;
let ada: string;
beforeAll(async () => {
  it = await dashboardWorld();
  ada = (await it.world.as('ada').auth.session()).user?.user_id ?? '';
});
afterAll(() => it.close());

const begin = (title: string, ownerId = ada): Promise<string> => inTx(it.world.ctx, (ctx) => createJob(ctx, { kind: 'run', title, ownerId }));
const readers = (): number => it.world.ctx.drivers.wakeups.accounts.readers(ada);

test('work that begins elsewhere is in the lists of all tabs, which share one stream; the next tab takes it over', async () => {
  const opened = await it.open('/runs', { who: 'ada' });
  await settled(opened);
  await expect.poll(readers, { timeout: 20_000 }).toBe(1);
  const second = await opened.page.context().newPage();
  await second.goto(`${it.address}/runs`);
  await settled({ page: second, complaints: [] });
  // Nothing asks again on its own now: what is shown was told.
  const asked: string[] = [];
  await begin('Told to both');
  await Promise.all([opened.page, second].map((page) => page.getByText('Told to both').first().waitFor()));
  expect(readers()).toBe(1);
  await opened.page.close();
  await expect.poll(readers, { timeout: 20_000 }).toBe(1);
  second.on('request', (request) => asked.push(request.url()));
  await begin('Told to the second');
  await second.getByText('Told to the second').first().waitFor();
  expect(asked.filter((url) => url.includes('/v1/me/activity')).length).toBeLessThanOrEqual(2);
  await second.context().close();
  await expect.poll(readers, { timeout: 20_000 }).toBe(0);
});

test('what happens while the network is away is shown when it is back', async () => {
  const opened = await it.open('/runs', { who: 'ada' });
  await settled(opened);
  await expect.poll(readers, { timeout: 20_000 }).toBe(1);
  const { page } = opened;
  await page.context().setOffline(true);
  await begin('While it was away');
  await page.context().setOffline(false);
  await page.getByText('While it was away').first().waitFor();
  await page.context().close();
});

test('an element says more of itself when it is pointed at or reached by keys, and the menu gives the focus back', async () => {
  const opened = await it.open('/runs', { who: 'ada' });
  await settled(opened);
  const { page } = opened;
  const hint = page.getByRole('tooltip');
  await page.locator('time').first().hover();
  await expect.poll(() => hint.textContent()).toMatch(/\d{4}/);
  await page.keyboard.press('Escape');
  await hint.waitFor({ state: 'hidden' });
  const account = page.getByRole('button', { name: 'Account' });
  await account.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor({ state: 'hidden' });
  await expect.poll(() => page.evaluate<string>(`document.activeElement.getAttribute('aria-label')`)).toMatch(/^Account/);
  expect(opened.complaints).toEqual([]);
  await page.context().close();
});

test('the menu has six areas; the pages of one are below it, at a desk and on a phone, also after a reload', async () => {
  const opened = await it.open('/runs', { who: 'ada' });
  await settled(opened);
  const { page } = opened;
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await menu.getByRole('link', { name: 'Schedules', exact: true }).waitFor();
  expect(await menu.getByRole('link', { name: 'Teams', exact: true }).count()).toBe(0);
  await menu.getByRole('link', { name: 'Build', exact: true }).click();
  await menu.getByRole('link', { name: 'Teams', exact: true }).click();
  await page.locator('h1', { hasText: 'Teams' }).waitFor();
  await page.reload();
  await settled(opened);
  expect(await menu.getByRole('link', { name: 'Teams', exact: true }).getAttribute('aria-current')).toBe('page');
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'menu');
  await page.setViewportSize({ width: 320, height: 640 });
  await page.getByRole('navigation', { name: 'Build' }).getByRole('link', { name: 'Files' }).click();
  await page.locator('h1', { hasText: 'Files' }).waitFor();
  await menu.getByRole('link', { name: 'Account' }).click();
  await page.locator('h1', { hasText: 'Settings' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'menu-phone');
  expect(opened.complaints).toEqual([]);
  await page.context().close();
});

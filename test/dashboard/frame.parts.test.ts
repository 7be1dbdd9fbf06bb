// The frame around every page: what it does when a session ends, a network goes, or another tab signs out;
// for whom a tab acts; what the palette does.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardWorld, dashboardWorld, type Opened, sessionCookie, settled, shoot, takenOver, violations } from './dashboard.ts';

let it: DashboardWorld;
let ada: { user_id: string };
beforeAll(async () => {
  it = await dashboardWorld();
  ada = await it.world.as('ada').auth.me();
});
afterAll(() => it.close());

let opened: Opened;
let page: Page;
async function open(path: string): Promise<void> {
  opened = await it.open(path, { who: 'ada' });
  ({ page } = opened);
  await settled(opened);
}

const palette = () => page.getByRole('combobox', { name: 'Search or go to' });
async function take(words: string, option: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await palette().fill(words);
  await page.getByRole('option', { name: option, exact: true }).waitFor();
  await page.keyboard.press('Enter');
}

test('a session that ends leaves the page with what was typed; signed in again in another tab, the page goes on', async () => {
  await open('/bounties?edit=new');
  const title = page.getByRole('textbox', { name: /^title/i });
  await title.fill('A harbour pilot');
  await it.world.ctx.db('web_sessions').where({ user_id: ada.user_id }).update({ revoked_at: new Date() });
  await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'session-ended');
  await page.context().addCookies([await sessionCookie(it.world, 'ada')]);
  const other = await page.context().newPage();
  await other.goto(`${it.address}/signed-in`);
  await takenOver(other);
  await dialog.waitFor({ state: 'detached' });
  expect(await title.inputValue()).toBe('A harbour pilot');
  await page.context().close();
});

test('a second tab follows a sign-out at once; a sign-out that is cancelled stays signed in', async () => {
  await open('/settings');
  const second = await page.context().newPage();
  await second.goto(`${it.address}/files`);
  await takenOver(second);
  await second.locator('h1', { hasText: 'Files' }).waitFor();
  await take('log out', 'Sign out');
  await page.getByRole('option', { name: 'Sign out', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await palette().waitFor({ state: 'hidden' });
  expect((await it.world.ctx.db('web_sessions').where({ user_id: ada.user_id }).whereNull('revoked_at')).length).toBeGreaterThan(0);
  await take('log out', 'Sign out');
  await page.getByRole('option', { name: 'Sign out', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await second.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await page.context().close();
});

test('without a network a click does not lead away, and what is typed stays', async () => {
  await open('/bounties?edit=new');
  const title = page.getByRole('textbox', { name: /^title/i });
  await title.fill('A harbour pilot');
  await page.context().setOffline(true);
  await page.getByText('You are offline.').waitFor();
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Build', exact: true }).click();
  await page.getByText('That page cannot be loaded without a connection.').first().waitFor();
  expect(new URL(page.url()).pathname).toBe('/bounties');
  expect(await title.inputValue()).toBe('A harbour pilot');
  await shoot(page, 'offline');
  await page.context().setOffline(false);
  await page.getByText('You are offline.').waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Build', exact: true }).click();
  await page.locator('h1', { hasText: /studio/i }).waitFor();
  await page.context().close();
});

test('a tab that acts for an organization says so on every page, and shows its first steps', async () => {
  const slug = it.world.records['organizations.members.slug'] ?? '';
  await open(`/?org=${slug}`);
  const strip = page.getByLabel('Organization', { exact: true });
  await strip.getByText('This tab acts for').waitFor();
  await page.getByRole('region', { name: /^First steps of/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'organization-home');
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Runs', exact: true }).click();
  await page.locator('h1', { hasText: 'Runs' }).waitFor();
  await page.getByRole('button', { name: /^Account: acting for/ }).click();
  await page.getByRole('menuitem', { name: 'Personal account' }).click();
  await page.waitForURL(`${it.address}/`);
  await takenOver(page);
  expect(await strip.count()).toBe(0);
  await page.context().close();
});

test('the palette does things, and knows other words for them', async () => {
  const name = it.world.records.name ?? '';
  await open('/');
  await take('environment variable', 'Add a secret');
  await palette().fill(name);
  await page.getByRole('option', { name, exact: true }).waitFor();
  await shoot(page, 'palette-agent');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${it.address}/agents/mine/${name}/secrets?add=true`);
  await page.getByRole('button', { name: 'Save secret' }).waitFor();

  await take('undo', 'Roll back an agent');
  await palette().fill(name);
  await page.getByRole('option', { name, exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${it.address}/agents/mine/${name}/deployments`);

  await take('reply', 'Answer the oldest question');
  await page.waitForURL(/\/inbox\?wait=/);

  await take('dark', 'Switch theme');
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' });
  expect(opened.complaints).toEqual([]);
  await page.context().close();
});

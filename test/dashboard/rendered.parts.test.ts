// Pages as the API renders them for their reader, and as a browser takes them over: who comes, with what, and
// when (every page: pages.parts.test.ts).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Who } from '../api/world.ts';
import { complaintsOf, type DashboardWorld, dashboardWorld, dropOn, sessionCookie, settled, takenOver } from './dashboard.ts';
import { htmlOf, RENDERED, visit } from './visits.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
  // The thread is started by the first visit.
  await htmlOf(it, '/docs');
});
afterAll(() => it.close());

/** A tab whose scripts wait until `go` is called. */
async function withoutScripts(path: string, who: Who, before = ''): Promise<{ page: Page; go(): void }> {
  const context = await it.browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', colorScheme: 'light' });
  await context.addCookies([await sessionCookie(it.world, who)]);
  const page = await context.newPage();
  if (before !== '') await page.addInitScript(before);
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/\/assets\/main-.*\.js$/, async (route) => {
    await promise;
    await route.continue();
  });
  await visit(it, page, path, 'commit');
  return { page, go: resolve };
}

test('readers who come at once get each their own page', async () => {
  const readers = await Promise.all((['ada', 'ben'] as const).map(async (who) => ({ who, email: (await it.world.as(who).auth.me()).email })));
  const visits = Array.from({ length: 6 }, () => readers).flat();
  const pages = await Promise.all(visits.map(async ({ who, email }) => ({ email, html: await htmlOf(it, '/settings', who) })));
  expect(pages.filter(({ html }) => html.includes(RENDERED)).length).toBeGreaterThan(2);
  for (const { email, html } of pages)
    if (html.includes(RENDERED)) expect(readers.filter((one) => html.includes(one.email)).map((one) => one.email)).toEqual([email]);
  expect(await htmlOf(it, '/settings')).not.toContain('@example.test');
});

test('without scripts a page can be read', async () => {
  const context = await it.browser.newContext({ javaScriptEnabled: false });
  await context.addCookies([await sessionCookie(it.world, 'ada')]);
  const page = await context.newPage();
  await page.goto(`${it.address}/runs`);
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await page.getByRole('link', { name: it.world.records.name ?? '', exact: true }).waitFor();
  await context.close();
});

test('what is typed, clicked and pressed before the scripts run is done when they do', async () => {
  const { page, go } = await withoutScripts('/agents', 'ada');
  const name = it.world.records.name ?? '';
  await page.getByLabel('Search agents').pressSequentially(name);
  await page.getByLabel('State').selectOption('Failed');
  await page.getByRole('button', { name: 'Dark colors' }).click();
  await page.keyboard.press('Control+k');
  expect(page.url()).toBe(`${it.address}/agents`);
  go();
  await takenOver(page);
  await expect.poll(() => Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ q: name, state: 'failed' });
  expect(await page.getByLabel('Search agents').inputValue()).toBe(name);
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' });
  await page.getByRole('dialog', { name: 'Search or go to' }).waitFor();
  await page.context().close();
});

/**
 * An hour passes once the page's script has read what the server says of the page, and before it takes the
 * page over.
 */
const AN_HOUR_LATER = `
  const now = Date.now;
  let passed = 0;
  let isThere = false;
  Date.now = () => now() + passed;
  new MutationObserver(() => {
    const found = document.getElementById('rendered') !== null;
    if (isThere && !found) passed = 3_600_000;
    isThere = found;
  }).observe(document, { childList: true, subtree: true });
`;

test('a page is taken over as it was rendered, however long that takes', async () => {
  const { page, go } = await withoutScripts('/runs', 'ada', AN_HOUR_LATER);
  const complaints = complaintsOf(page);
  await page.locator('main time').first().waitFor({ state: 'attached' });
  go();
  await takenOver(page);
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  expect(await page.evaluate('Date.now() - performance.timeOrigin')).toBeGreaterThan(3_000_000);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a choice that is made before the scripts run stays made', async () => {
  const { page, go } = await withoutScripts('/agents', 'ada');
  const choice = page.getByRole('radio', { name: 'Installed' });
  await page.getByText('Installed', { exact: true }).click();
  expect(await choice.isChecked()).toBe(true);
  go();
  await takenOver(page);
  await expect.poll(() => new URL(page.url()).searchParams.get('show')).toBe('installed');
  expect(await choice.isChecked()).toBe(true);
  await page.context().close();
});

test('a folder that is dropped before the scripts run does not take the place of the page', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-dropped-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { page, go } = await withoutScripts('/agents/mine?make=upload', 'ada');
  await dropOn(page, page.getByRole('heading', { level: 1 }), folder);
  go();
  await takenOver(page);
  expect(page.url()).toBe(`${it.address}/agents/mine?make=upload`);
  await page.getByText('Drop a folder').waitFor();
  await page.context().close();
});

test('a tab that acts for an organization shows nothing of the person', async () => {
  const { page, go } = await withoutScripts('/settings', 'ada', `sessionStorage.setItem('svc.organization', 'no-such-organization')`);
  await page.locator('#root[data-rendered] h1').waitFor({ state: 'attached' });
  expect(await page.locator('#root').isVisible()).toBe(false);
  go();
  await page.locator('#root[data-rendered]').waitFor({ state: 'detached' });
  await page.locator('#root').waitFor();
  await page.context().close();
});

test("who signed in by an organization's provider reads on every page for what they act, and is offered nothing else", async () => {
  const slug = it.world.records['organizationSso.get.slug'] ?? '';
  const connection = await it.world.ctx
    .db('sso_connections as c')
    .join('organizations as o', 'o.organization_id', 'c.organization_id')
    .where({ slug })
    .first('connection_id', 'name');
  const sso = { connection_id: connection?.connection_id ?? '', at: it.world.ctx.clock() };
  for (const path of ['/', '/settings', '/organizations', `/organizations/${slug}/sso`]) {
    const html = (await htmlOf(it, path, 'ada', sso)).replaceAll(/<!--.*?-->|<[^>]*>/gs, '');
    expect(html).toContain(`You are signed in through ${connection?.name}’s provider: you act for ${connection?.name} only.`);
    for (const own of ['New organization', 'Notifications', 'Link my account', 'First steps'])
      expect([path, own, html.includes(own)]).toEqual([path, own, false]);
  }
  expect(await htmlOf(it, '/settings', 'ada')).not.toContain('you act for');
});

test('what an agent or a person named is text, also where the page keeps what was read', async () => {
  const name = '<script><!--.txt';
  const body = new FormData();
  body.set('path', name);
  body.set('file', new Blob(['text'], { type: 'text/plain' }), 'name.txt');
  const stored = await fetch(`${it.world.url}/v1/me/files`, { method: 'POST', headers: { authorization: `Bearer ${it.world.tokens.ada}` }, body });
  expect(stored.ok).toBe(true);
  const opened = await it.open('/files', { who: 'ada' });
  const html = await visit(it, opened.page, '/files', 'load');
  expect(html).toContain(RENDERED);
  expect(html).toContain(String.raw`\u003cscript>\u003c!--.txt`);
  expect(html.replaceAll('&lt;', '')).not.toContain('<!--.txt');
  await settled(opened);
  expect([await opened.page.title(), opened.complaints]).toEqual(['Files · svc', []]);
  await opened.page.context().close();
});

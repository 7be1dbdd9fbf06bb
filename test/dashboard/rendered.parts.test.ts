// Pages as the API renders them for their reader, and as a browser takes them over.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Who } from '../api/world.ts';
import { type DashboardWorld, dashboardWorld, type Opened, sessionCookie, settled, takenOver } from './dashboard.ts';
import { addMoneyRecords } from './money-records.ts';
import { NO_PAGE, pagePaths } from './paths.ts';
import { addProofRecords } from './proof-records.ts';
import { addRunRecords } from './run-story.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
  await addRunRecords(it.world);
  await addProofRecords(it.world);
  await addMoneyRecords(it.world);
  // The thread is started by the first visit.
  await htmlOf('/docs');
}, 120_000);
afterAll(() => it.close());

const RENDERED = 'id="rendered"';

/** As a browser asks for it, and before it does anything with it. */
async function htmlOf(path: string, who?: Who): Promise<string> {
  const cookie = who && (await sessionCookie(it.world, who));
  const { hostname, port } = new URL(it.world.url);
  const headers = { accept: 'text/html', host: new URL(it.address).host, ...(cookie && { cookie: `${cookie.name}=${cookie.value}` }) };
  return await new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (answer) => void text(answer).then(resolve, reject))
      .once('error', reject)
      .end();
  });
}

const TRIES = 5;

/** The page as the API rendered it; a machine that is busy may not have it in time, so it is asked again. @returns its HTML */
async function visit(page: Page, path: string, waitUntil: 'load' | 'commit'): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const html = (await (await page.goto(it.address + path, { waitUntil }))?.text()) ?? '';
    if (html.includes(RENDERED) || tries === TRIES) return html;
  }
}

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
  await visit(page, path, 'commit');
  return { page, go: resolve };
}

test('every page is rendered and names scripts of its own, and a browser finds nothing in it that it would show otherwise', async () => {
  const faults: string[] = [];
  const ofAll = scriptsIn(await htmlOf(NO_PAGE));
  const tabs = new Map<Who | undefined, Opened>();
  for (const { name, path, who } of pagePaths(it.world)) {
    const tab = tabs.get(who) ?? (await it.open('/receipts', { ...(who && { who }) }));
    tabs.set(who, tab);
    const html = await visit(tab.page, path, 'load');
    if (!html.includes(RENDERED)) faults.push(`${name}: made by the browser`);
    if (path !== NO_PAGE && [...scriptsIn(html)].every((file) => ofAll.has(file))) faults.push(`${name}: no script of its own`);
    await settled(tab);
    faults.push(...tab.complaints.splice(0).map((complaint) => `${name}: ${complaint}`));
  }
  expect([...faults, ...it.unrendered]).toEqual([]);
}, 600_000);

const scriptsIn = (html: string): Set<string> => new Set([...html.matchAll(/rel="modulepreload"[^>]*href="([^"]+)"/g)].map(([, file = '']) => file));

test('readers who come at once get each their own page', async () => {
  const readers = await Promise.all((['ada', 'ben'] as const).map(async (who) => ({ who, email: (await it.world.as(who).auth.me()).email })));
  const visits = Array.from({ length: 6 }, () => readers).flat();
  const pages = await Promise.all(visits.map(async ({ who, email }) => ({ email, html: await htmlOf('/settings', who) })));
  expect(pages.filter(({ html }) => html.includes(RENDERED)).length).toBeGreaterThan(2);
  for (const { email, html } of pages)
    if (html.includes(RENDERED)) expect(readers.filter((one) => html.includes(one.email)).map((one) => one.email)).toEqual([email]);
  expect(await htmlOf('/settings')).not.toContain('@example.test');
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

test('a tab that acts for an organization shows nothing of the person', async () => {
  const { page, go } = await withoutScripts('/settings', 'ada', `sessionStorage.setItem('svc.organization', 'no-such-organization')`);
  await page.locator('#root[data-rendered] h1').waitFor({ state: 'attached' });
  expect(await page.locator('#root').isVisible()).toBe(false);
  go();
  await page.locator('#root[data-rendered]').waitFor({ state: 'detached' });
  await page.locator('#root').waitFor();
  await page.context().close();
});

test('what an agent or a person named is text, also where the page keeps what was read', async () => {
  const name = '<script><!--.txt';
  const body = new FormData();
  body.set('path', name);
  body.set('file', new Blob(['text'], { type: 'text/plain' }), 'name.txt');
  const stored = await fetch(`${it.world.url}/v1/me/files`, { method: 'POST', headers: { authorization: `Bearer ${it.world.tokens.ada}` }, body });
  expect(stored.ok).toBe(true);
  const opened = await it.open('/files', { who: 'ada' });
  const html = await visit(opened.page, '/files', 'load');
  expect(html).toContain(RENDERED);
  expect(html).toContain(String.raw`\u003cscript>\u003c!--.txt`);
  expect(html.replaceAll('&lt;', '')).not.toContain('<!--.txt');
  await settled(opened);
  expect([await opened.page.title(), opened.complaints]).toEqual(['Files · svc', []]);
  await opened.page.context().close();
});

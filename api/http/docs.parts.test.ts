// The reference in a real browser: it shows every group, and the content security policy stops nothing of it.
import Koa from 'koa';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contract } from '#contract/index.ts';
import { routesOf } from '#contract/inventory.ts';
import { pages } from './pages.ts';
import { securityHeaders } from './security-headers.ts';
import { createApiServer, type ApiServer } from '../server.ts';
import type { HttpState } from './state.ts';
import { launchBrowser } from '#test/support/browser.ts';

let browser: Browser;
let server: ApiServer;
let url: string;

beforeAll(async () => {
  const stopping = new AbortController();
  const app = new Koa<HttpState>();
  app.use(securityHeaders({ https: false }));
  app.use(
    pages({
      contract,
      baseUrl: 'http://localhost:8080',
      parts: [{ name: 'database', probe: () => Promise.reject(new Error('down')) }],
      stopping: stopping.signal,
    }),
  );
  server = createApiServer({ api: app.callback(), stopping });
  url = await server.listen(0, '127.0.0.1');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

test('the reference renders, without a word from the console', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${url}/docs/api`);
  await page.waitForSelector('.opblock');
  // It draws what is in the window alone: read while the page is scrolled through.
  const seen = new Set<string>();
  await expect
    .poll(
      async () => {
        for (const id of await page.$$eval('.opblock', (all) => all.map(({ id: own }) => own))) seen.add(id);
        await page.evaluate('window.scrollY + window.innerHeight >= document.body.scrollHeight - 1 ? window.scrollTo(0, 0) : window.scrollBy(0, 700)');
        return seen.size;
      },
      { timeout: 60_000, interval: 100 },
    )
    .toBe(routesOf(contract).length);
  await page.evaluate('window.scrollTo(0, 0)');
  await page.waitForSelector('.opblock');
  await page.locator('.opblock-summary').first().click();
  await page.waitForSelector('.opblock-body');
  // What its answers refer to is shown with its fields.
  await page.locator('.opblock-body .responses-inner').getByText('detail').first().waitFor();
  expect(await page.locator('.errors-wrapper').count()).toBe(0);
  if (process.env.SVC_SCREENSHOTS) await page.screenshot({ path: `${process.env.SVC_SCREENSHOTS}/docs.png` });
  expect(complaints).toEqual([]);
});

test('the document is cached by its tag; readiness names the part that fails', async () => {
  const first = await fetch(`${url}/v1/openapi.json`);
  const again = await fetch(`${url}/v1/openapi.json`, { headers: { 'if-none-match': first.headers.get('etag') ?? '', 'cache-control': 'max-age=0' } });
  expect([first.status, again.status]).toEqual([200, 304]);
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'not ready', parts: { database: 'failing' } }]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('the page looks as the dashboard does, leads back to it, and shows samples of what was tried', async () => {
  const context = await browser.newContext({ colorScheme: 'dark' });
  const page = await context.newPage();
  await page.goto(`${url}/docs/api`);
  await page.waitForSelector('.opblock');
  const isDark = (): Promise<boolean> => page.evaluate("document.documentElement.classList.contains('dark-mode')");
  expect(await isDark()).toBe(true);
  expect(await page.getByRole('link', { name: 'Documentation' }).getAttribute('href')).toBe('/docs');
  if (process.env.SVC_SCREENSHOTS) await page.screenshot({ path: `${process.env.SVC_SCREENSHOTS}/docs-dark.png` });
  // The choice made in the dashboard goes before the system's.
  await page.evaluate("localStorage.setItem('mantine-color-scheme-value', 'light')");
  await page.reload();
  await page.waitForSelector('.opblock');
  expect(await isDark()).toBe(false);

  await page.locator('.opblock-get .opblock-summary').first().click();
  await page.getByRole('button', { name: 'Try it out' }).first().click();
  await page.getByRole('button', { name: 'Execute' }).first().click();
  const samples = page.locator('.request-snippets');
  await samples.waitFor();
  for (const [language, text] of [
    ['Python', 'urllib.request.Request('],
    ['JavaScript', 'await fetch("'],
    ['curl', 'curl -X'],
  ] as const) {
    await samples.getByText(language, { exact: true }).click();
    await samples.getByText(text).first().waitFor();
  }
  await context.close();
});

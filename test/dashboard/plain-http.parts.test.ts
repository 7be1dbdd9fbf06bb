// An installation that people of a local network open over plain http, at the address of the machine:
// browsers keep no Secure cookie there, and pages have neither a clipboard nor Web Crypto.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { type DashboardWorld, dashboardWorld, takenOver } from './dashboard.ts';

/** The browser goes by the address that it opened, and connects to this machine. */
const AT = 'http://192.168.77.20:8080';
let it: DashboardWorld;
let browser: Browser;
beforeAll(async () => {
  it = await dashboardWorld();
  it.world.ctx.config.baseUrl = AT;
  browser = await launchBrowser({ hosts: { [new URL(AT).host]: new URL(it.world.url).host } });
});
afterAll(async () => {
  await browser.close();
  await it.close();
});

async function openAt(path: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })).newPage();
  await page.goto(AT + path);
  expect(await page.evaluate<boolean>('isSecureContext')).toBe(false);
  return page;
}

test.each(['/', '/runs'])('%s says why nobody can sign in, and what to do', async (path) => {
  const page = await openAt(path);
  await takenOver(page);
  const why = page.getByRole('main').getByRole('alert');
  await why.waitFor();
  expect(await why.textContent()).toContain(`Browsers cannot sign in at ${AT}`);
  expect(await why.textContent()).toContain('SVC_BASE_URL');
  expect(await page.getByRole('main').getByRole('link', { name: 'Sign in', exact: true }).count()).toBe(0);
});

test('a link that begins a sign-in ends at the sentence, and sets no cookie', async () => {
  const page = await openAt('/v1/auth/oidc/start?redirect_to=/');
  expect(await page.textContent('body')).toContain(`Browsers cannot sign in at ${AT}`);
  expect(page.url()).toBe(`${AT}/v1/auth/oidc/start?redirect_to=/`);
  expect(await page.context().cookies()).toEqual([]);
});

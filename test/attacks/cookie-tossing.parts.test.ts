// An agent's page sets cookies for the domain that its host shares with the dashboard: large ones, so that
// every request to the dashboard is refused, and ones that look like the platform's session. Done as such a
// page does it, by script in a real browser, on hosts of one parent domain.
import { request } from 'node:http';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSession } from '#core/identity/session/create.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createWorld, type World } from '../api/world.ts';
import { launchBrowser } from '../support/browser.ts';

const DASHBOARD = 'svc.localhost';
const SESSION = '__Host-svc_session';
let world: World;
let browser: Browser;
let hers: string;
let mallorys: string;

beforeAll(async () => {
  [world, browser] = await Promise.all([createWorld(), launchBrowser()]);
  [hers, mallorys] = [await session('ada'), await session('ben')];
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

async function session(who: 'ada' | 'ben'): Promise<string> {
  const { user_id: userId } = await world.as(who).auth.me();
  return (await inTx(world.ctx, (ctx) => createSession(ctx, { userId, replaces: undefined, signedIn: true }))).token;
}

const at = (host: string, path: string): string => `http://${host}:${new URL(world.url).port}${path}`;

/** What the agent's page sets, each with the parent as its domain. */
async function toss(context: BrowserContext, cookies: string[], domain = DASHBOARD): Promise<void> {
  const page = await context.newPage();
  await page.goto(at(`mallory.${domain}`, '/healthz'));
  const lines = cookies.map((cookie) => `${cookie}; Domain=${domain}; Path=/; Max-Age=100000`);
  await page.evaluate(`for (const line of ${JSON.stringify(lines)}) document.cookie = line;`);
  await page.close();
}

async function signedIn(): Promise<BrowserContext> {
  const context = await browser.newContext();
  await context.addCookies([{ name: SESSION, value: hers, url: at(DASHBOARD, '/').replace('http:', 'https:'), secure: true, httpOnly: true, sameSite: 'Lax' }]);
  return context;
}

const large = (count: number): string[] => Array.from({ length: count }, (_, n) => `toss${n}=${'x'.repeat(1_000)}`);

test('large cookies lock a person out of the dashboard until she opens a page once; she stays signed in', async () => {
  const context = await signedIn();
  await toss(context, large(60));
  const page = await context.newPage();
  // The attack works: what her dashboard asks is refused.
  const refused = await page.goto(at(DASHBOARD, '/v1/me'));
  expect(refused?.status()).toBe(431);
  expect(await page.textContent('h1')).toBe('Too many cookies');
  await page.getByRole('link', { name: 'Try again' }).click();
  await expect.poll(() => page.textContent('body')).toContain('"email"');
  expect((await context.cookies()).map(({ name }) => name)).toEqual([SESSION]);
  await context.close();
});

test('cookies below a path, and more than one refusal can name, are gone after some more tries', async () => {
  const context = await signedIn();
  await toss(context, [...large(150), ...large(20).map((cookie) => `deep${cookie}; Path=/v1`)]);
  const page = await context.newPage();
  await expect.poll(async () => (await page.goto(at(DASHBOARD, '/v1/me')))?.status(), { timeout: 30_000 }).toBe(200);
  await context.close();
});

test('a cookie that looks like the session opens and changes nothing', async () => {
  const context = await browser.newContext();
  const other = mallorys;
  const disguises = ['', '\u00a0', '\u2000', '\u0085', '\t', ' ', '='].map((first) => `${first}${SESSION}=${other}; Secure`);
  await toss(context, [...disguises, `__HOST-svc_session=${other}; Secure`, `svc_session=${other}`, `__Secure-svc_session=${other}; Secure`, 'plain=1']);
  const page = await context.newPage();
  // They arrive at the dashboard.
  expect((await context.cookies(at(DASHBOARD, '/'))).map(({ name }) => name)).toContain('plain');
  expect((await page.goto(at(DASHBOARD, '/v1/me')))?.status()).toBe(401);
  await context.close();
});

/** Node's own client sends no vertical tab or form feed: browsers send none either. */
test.each([
  ['nothing', '', 200],
  ['a no-break space', '\u00a0', 401],
  ['a next line', '\u0085', 401],
  ['two of them', '\u00a0\u00a0', 401],
])('the name after %s, as bytes', async (_, first, expected) => {
  const { hostname, port } = new URL(world.url);
  const headers = { cookie: `plain=1; ${first}${SESSION}=${mallorys}` };
  const status = await new Promise((resolve, reject) => {
    request({ hostname, port, path: '/v1/me', headers }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(expected);
});

test('on http://localhost browsers let no agent set a cookie for the dashboard', async () => {
  const context = await browser.newContext();
  await toss(context, ['plain=1', ...large(3)], 'localhost');
  expect(await context.cookies()).toEqual([]);
  await context.close();
});

// Signing in with a real browser: the pages as people see them, and what the browser keeps.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveAuth } from './test/sign-in.ts';
import { launchBrowser } from '#test/support/browser.ts';

let browser: Browser;
let api: Awaited<ReturnType<typeof serveAuth>>;

beforeAll(async () => {
  [api, browser] = await Promise.all([serveAuth(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await api.close();
});

/** A page of a browser of its own; `complaints` is all the browser found wrong. */
async function open(options: { dark?: boolean; narrow?: boolean } = {}): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    colorScheme: options.dark ? 'dark' : 'light',
    viewport: options.narrow ? { width: 360, height: 640 } : { width: 1000, height: 720 },
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}

async function shot(page: Page, name: string): Promise<void> {
  if (process.env.SVC_SCREENSHOTS) await page.screenshot({ path: `${process.env.SVC_SCREENSHOTS}/${name}.png` });
}

async function fillIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('start, sign-in page, callback, session', async () => {
  const { page, complaints } = await open();
  await page.goto(`${api.baseUrl}/v1/auth/oidc/start?redirect_to=/v1/me&login_hint=ada@svc.local`);
  await shot(page, 'sign-in');
  expect(await page.getByLabel('Email').inputValue()).toBe('ada@svc.local');
  expect(await page.locator('script').count()).toBe(0);
  await fillIn(page, 'ada@svc.local', 'not her password');
  await page.getByRole('alert').waitFor();
  await shot(page, 'sign-in-wrong');
  expect(await page.getByRole('alert').textContent()).toBe('Email or password is wrong.');
  expect(complaints.splice(0)).toHaveLength(1);
  await fillIn(page, 'ada@svc.local', await api.password('ada@svc.local'));
  await page.waitForURL(`${api.baseUrl}/v1/me`);
  expect(await page.textContent('body')).toContain('ada@svc.local');
  const cookies = await page.context().cookies();
  expect(cookies.find(({ name }) => name === '__Host-svc_session')).toMatchObject({
    httpOnly: true,
    secure: true,
    sameSite: 'Lax',
    path: '/',
    domain: 'localhost',
  });
  expect(await page.evaluate<string>('document.cookie')).toBe('');
  // Mutations from our own page pass, those from an agent's page do not even carry the cookie.
  const status = (base: string) =>
    page.evaluate(async (url) => (await fetch(url, { method: 'POST', credentials: 'include', mode: 'no-cors' })).status, `${base}/v1/auth/logout`);
  await page.goto(`${api.baseUrl.replace('localhost', 'evil.localhost')}/v1/public-page`);
  await status(api.baseUrl).catch(() => 0);
  await page.goto(`${api.baseUrl}/v1/me`);
  expect(await page.textContent('body')).toContain('ada@svc.local');
  expect(await status('')).toBe(200);
  expect((await page.goto(`${api.baseUrl}/v1/me`))?.status()).toBe(401);
});

test("the command line tool's answer goes to its loopback port, past the policy of the page", async () => {
  const { createServer } = await import('node:http');
  const answered = Promise.withResolvers<string>();
  const listener = createServer((request, response) => {
    response.end('back');
    if (request.url?.startsWith('/callback')) answered.resolve(request.url);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  const address = listener.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const query = new URLSearchParams({
    client_id: 'svc-cli',
    response_type: 'code',
    scope: 'openid email',
    state: 's',
    redirect_uri: `http://127.0.0.1:${port}/callback`,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const { page, complaints } = await open({ dark: true });
  await page.goto(`${api.idp.issuer}/auth?${query}`);
  await shot(page, 'sign-in-dark');
  await fillIn(page, 'ben@svc.local', await api.password('ben@svc.local'));
  expect(await answered.promise).toContain('code=');
  expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([]);
  listener.close();
  listener.closeAllConnections();
});

test('a sign-in link asks first', async () => {
  const { access_token: token } = await api.tokens('ada@svc.local');
  const link = await api.as(token).auth.createCliSession({ body: { redirect_to: '/v1/me' } });
  const { page, complaints } = await open({ narrow: true });
  await page.goto(link.redeem_url);
  await page.getByRole('heading', { name: 'Sign in as ada@svc.local?' }).waitFor();
  await shot(page, 'confirm');
  await page.getByRole('button', { name: 'Yes, sign me in' }).click();
  await page.waitForURL(`${api.baseUrl}/v1/me`);
  expect(await page.textContent('body')).toContain('ada@svc.local');
  expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([]);
});

test('a browser that came by another name of this machine ends up at the one the cookies belong to', async () => {
  const { page } = await open();
  await page.goto(`${api.baseUrl}/v1/auth/oidc/start?redirect_to=/v1/me`);
  const elsewhere = page.url().replace('localhost', '127.0.0.1');
  expect((await fetch(`${api.baseUrl.replace('localhost', '127.0.0.1')}/idp/auth?x=1`, { redirect: 'manual' })).headers.get('location')).toBe(
    `${api.idp.issuer}/auth?x=1`,
  );
  expect(elsewhere).toContain('127.0.0.1');
  await page.goto(`${api.idp.issuer}/device`);
  await shot(page, 'device');
  await page.goto(`${api.idp.issuer}/session/end`);
  await shot(page, 'sign-out');
  await page.goto(`${api.idp.issuer}/auth?client_id=nobody`);
  await shot(page, 'error');
  expect(await page.textContent('h1')).toBe('That did not work');
});

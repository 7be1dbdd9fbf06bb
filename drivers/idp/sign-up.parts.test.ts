// Making an account at the real provider, in a browser: what it is worth, and who may not.
import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { Knex } from 'knex';
import * as oidc from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLI_CLIENT_ID } from '#contract/identity/oauth.ts';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { createAccessTokens } from './access-tokens.ts';
import { localAccounts } from './accounts.ts';
import { maySignUp, signUpOf } from './sign-up.ts';
import { Browser, type Page } from './test-browser.ts';
import { startTestIdp, type TestIdp } from './test/idp.ts';

const database = async (): Promise<Knex> => createPool({ connectionString: (await testDatabase()).url, max: 10 });
const [db, other] = [await database(), await database()];
let it: TestIdp;
let closed: TestIdp;
let serves = true;
const invited = new Set<string>();
beforeAll(async () => {
  it = await startTestIdp(db, undefined, undefined, async (email) => serves || (email === undefined ? invited.size > 0 : invited.has(email)));
  closed = await startTestIdp(other, undefined, false);
});
afterAll(async () => {
  await it.close();
  await closed.close();
  await db.destroy();
  await other.destroy();
});

const secret = (): string => randomBytes(12).toString('hex');
const newEmail = (): string => `p${randomBytes(4).toString('hex')}@example.com`;

async function begin(idp: TestIdp, prompt?: string) {
  const client = await oidc.discovery(new URL(idp.idp.issuer), CLI_CLIENT_ID, undefined, oidc.None(), { execute: [oidc.allowInsecureRequests] });
  const [verifier, state] = [oidc.randomPKCECodeVerifier(), oidc.randomState()];
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: 'http://127.0.0.1:41873/callback',
    scope: 'openid email offline_access mcp:invoke agent:read',
    state,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(prompt === undefined ? {} : { prompt }),
  });
  const browser = new Browser();
  const page = await browser.get(url);
  const tokens = async ({ left }: Page) => oidc.authorizationCodeGrant(client, left ?? url, { pkceCodeVerifier: verifier, expectedState: state });
  return { browser, page, tokens, prompts: client.serverMetadata().prompt_values_supported };
}

const linked = (page: Page): URL => new URL(/href="([^"]+\?new=\d)"/.exec(page.body)?.[1] ?? '', page.url);

test('prompt=create shows the page; the new account is signed in, is no operator, and its address is not verified', async () => {
  const { browser, page, tokens, prompts } = await begin(it, 'create');
  expect(prompts).toContain('create');
  expect(page.body).toContain('Create an account');
  const [email, password] = [newEmail(), secret()];
  const answer = await browser.post(page, { email: `  ${email.toUpperCase()} `, name: 'Eve <b>', password });
  const { access_token: token } = await tokens(answer);
  expect(decodeJwt(token)).toMatchObject({ email, email_verified: false, name: 'Eve <b>' });
  // An installation that names this address as an operator's makes no operator of it.
  const access = createAccessTokens({ issuer: it.idp.issuer, audience: it.baseUrl, jwks: it.idp.jwks, operators: [email] });
  expect(await access.verify(token)).toMatchObject({ email, operator: false });
  // The account is there afterwards.
  const again = await begin(it);
  expect((await again.browser.post(again.page, { email, password })).left?.searchParams.get('code')).toBeTruthy();
});

test('sign-in leads to the page and back; who has an account is signed in to it only by its password', async () => {
  const { browser, page } = await begin(it);
  const asks = await browser.get(linked(page));
  expect(asks.body).toContain('Create an account');
  expect((await browser.get(linked(asks))).body).toContain('Email');
  const wrong = await browser.post(asks, { email: 'ada@svc.local', password: secret() });
  expect(wrong).toMatchObject({ status: 409, left: undefined });
  expect(wrong.body).toContain('There is an account with this email');
  const right = await browser.post(wrong, { email: 'ada@svc.local', password: await it.password('ada@svc.local') });
  expect(right.left?.searchParams.get('code')).toBeTruthy();
});

// A password that was made for an account has the letters of its name once in 1,500 times.
test.each([
  ['older-a@example.com', 'short'],
  ['older-b@example.com', '93kd-older-b-7h'],
])('an account that is there is signed in to by a password that no new account may have: %s, %s', async (email, password) => {
  await localAccounts(db).create({ email, name: '', password });
  const { browser, page } = await begin(it, 'create');
  const answer = await browser.post(page, { email, password });
  expect(answer.left?.searchParams.get('code')).toBeTruthy();
});

test('a new account may have three letters of its name in its password', async () => {
  const { browser, page } = await begin(it, 'create');
  const answer = await browser.post(page, { email: 'zoe@example.com', password: 'x7-Zoe-kk2-93kd' });
  expect(answer.left?.searchParams.get('code')).toBeTruthy();
});

test.each([
  ['no address', { email: 'nobody', password: secret() }, 'Enter an email address'],
  ['a short password', { email: newEmail(), password: 'short-one' }, 'at least 12 characters'],
  ['one letter', { email: newEmail(), password: 'a'.repeat(20) }, 'harder to guess'],
  ['its own email', { email: 'evelyn@example.com', password: 'I-am-Evelyn-and-no-other' }, 'harder to guess'],
])('%s makes no account', async (_, fields, says) => {
  const { browser, page } = await begin(it, 'create');
  const answer = await browser.post(page, fields);
  expect(answer).toMatchObject({ status: 422, left: undefined });
  expect(answer.body).toContain(says);
  expect(await db('idp_accounts').where({ email: fields.email }).first()).toBeUndefined();
});

test('a form of another site makes none', async () => {
  const { browser, page } = await begin(it, 'create');
  const email = newEmail();
  const answer = await browser.post(page, { email, password: secret() }, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' });
  expect(answer.status).toBe(400);
  expect(await db('idp_accounts').where({ email }).first()).toBeUndefined();
});

test('while strangers are not served, the page is not shown and no form makes an account; who has one signs in', async () => {
  const open = await begin(it, 'create');
  serves = false;
  const [email, password] = [newEmail(), secret()];
  expect((await open.browser.post(open.page, { email, name: '', password })).status).toBe(400);
  expect(await db('idp_accounts').where({ email }).first()).toBeUndefined();
  const { browser, page } = await begin(it, 'create');
  expect(page.body).not.toContain('Create an account');
  const right = await browser.post(page, { email: 'ada@svc.local', password: await it.password('ada@svc.local') });
  expect(right.left?.searchParams.get('code')).toBeTruthy();
  serves = true;
});

test('while strangers are not served, who is invited makes an account with that address, and nobody else', async () => {
  serves = false;
  const [mine, other, password] = [newEmail(), newEmail(), secret()];
  invited.add(mine);
  const { browser, page } = await begin(it, 'create');
  expect(page.body).toContain('Create an account');
  const refused = await browser.post(page, { email: other, name: '', password });
  expect([refused.status, refused.body.includes('Only who is invited')]).toEqual([403, true]);
  expect(await db('idp_accounts').where({ email: other }).first()).toBeUndefined();
  const made = await browser.post(page, { email: mine, name: '', password });
  expect(made.left?.searchParams.get('code')).toBeTruthy();
  invited.clear();
  serves = true;
});

test('twice at once is one account', async () => {
  const [email, password] = [newEmail(), secret()];
  const attempts = await Promise.all([begin(it, 'create'), begin(it, 'create')]);
  const answers = await Promise.all(attempts.map(({ browser, page }) => browser.post(page, { email, password })));
  for (const { left } of answers) expect(left?.searchParams.get('code')).toBeTruthy();
  expect(await db('idp_accounts').where({ email })).toHaveLength(1);
});

test('guesses at the password of an account count where it signs in, too', async () => {
  const { browser, page } = await begin(it, 'create');
  let answer = page;
  for (let i = 0; i < 11; i++) answer = await browser.post(answer, { email: 'ben@svc.local', password: secret() });
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  const signIn = await begin(it);
  expect((await signIn.browser.post(signIn.page, { email: 'ben@svc.local', password: await it.password('ben@svc.local') })).status).toBe(429);
});

test('where it is off there is no page, no link, no prompt, and a form that is sent all the same makes no account', async () => {
  const { browser, page, prompts } = await begin(closed);
  expect(prompts ?? []).not.toContain('create');
  expect(page.body).not.toContain('?new=1');
  expect((await browser.get(new URL('?new=1', page.url))).body).toContain('<h1>Sign in</h1>');
  const email = newEmail();
  expect((await browser.post(page, { new: '1', email, password: secret() })).status).toBe(400);
  expect(await other('idp_accounts').where({ email }).first()).toBeUndefined();
  expect((await begin(closed, 'create')).page.left?.searchParams.get('error')).toBe('invalid_request');
});

describe('who may', () => {
  test.each([
    [undefined, 'http://localhost:8080/idp', 'local'],
    [undefined, 'http://127.0.0.1:8080/idp', 'local'],
    [undefined, 'http://[::1]:8080/idp', 'local'],
    [undefined, 'https://svc.example/idp', 'nobody'],
    [undefined, 'https://localhost.example/idp', 'nobody'],
    [true, 'https://svc.example/idp', 'anyone'],
    [false, 'http://localhost:8080/idp', 'nobody'],
  ] as const)('%s at %s: %s', (chosen, issuer, who) => {
    expect(signUpOf(chosen, issuer)).toBe(who);
  });

  test('at an installation of one machine only who sits at it', () => {
    expect(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.7'].map((ip) => maySignUp('local', ip))).toEqual([true, true, true, false]);
    expect(maySignUp('nobody', '127.0.0.1')).toBe(false);
    expect(maySignUp('anyone', '10.0.0.7')).toBe(true);
  });
});

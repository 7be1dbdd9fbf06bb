// What is signed in as a person, by real tokens of the embedded provider: listed, and ended with what it
// opened.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { CLI_CLIENT_ID, TTL } from '#contract/identity/oauth.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { SESSION_COOKIE } from '#core/identity/cookies.ts';
import { forgetSignIns } from '#core/identity/program-sign-in/require.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret, newSecret } from '#core/kernel/secret.ts';
import { type AccessTokens, createAccessTokens } from '#drivers/idp/access-tokens.ts';
import { startTestIdp, type TestIdp } from '#drivers/idp/test/idp.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let idp: TestIdp;
let accessTokens: AccessTokens;

beforeAll(async () => {
  world = await createWorld({ accessTokens: { verify: (...given) => accessTokens.verify(...given) } });
  idp = await startTestIdp(world.ctx.db);
  accessTokens = createAccessTokens({ issuer: idp.idp.issuer, audience: idp.baseUrl, jwks: idp.idp.jwks, named: true });
});
afterAll(async () => {
  await idp.close();
  await world.close();
});

const at = (token: string) => createClient({ baseUrl: world.url, token }).signIns;
async function login(email = 'ada@svc.local') {
  const { access_token, refresh_token = '' } = await idp.tokens(email);
  return { access_token, refresh_token, signIns: at(access_token) };
}
const status = async (token: string): Promise<number> => (await fetch(`${world.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status;
async function renew(refresh_token: string): Promise<{ status: number; access_token?: string }> {
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id: CLI_CLIENT_ID });
  const response = await fetch(`${idp.idp.issuer}/token`, { method: 'POST', body });
  return { status: response.status, ...((await response.json()) as { access_token?: string }) };
}
const userOf = async (token: string): Promise<string> => {
  const response = await fetch(`${world.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  return ((await response.json()) as { user_id: string }).user_id;
};

/** A browser of the person, with what it opened: a visit at an agent. */
async function browser(user_id: string): Promise<{ session: string; session_id: string; visit: string }> {
  const { db } = world.ctx;
  const [session, session_id, visit] = [newSecret(), newId('ses'), newPlatformToken()];
  const expires_at = new Date(Date.now() + 3_600_000);
  const from = { address: '203.0.113.9', user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };
  await db('web_sessions').insert({ session_id, token_hash: hashSecret(session), user_id, expires_at, ...from });
  const agent = await db('agents')
    .where({ name: world.records['name'] ?? '' })
    .first('agent_id');
  const row = {
    token_id: newId('tok'),
    token_hash: hashSecret(visit),
    kind: 'agent_session' as const,
    user_id,
    agent_id: agent?.agent_id ?? '',
    label: 'browser hand-over',
  };
  await db('platform_tokens').insert({ ...row, expires_at, opened_by: session_id });
  return { session, session_id, visit };
}
const atBrowser = async (session: string, method: string, path: string): Promise<Response> =>
  fetch(world.url + path, { method, headers: { cookie: `${SESSION_COOKIE}=${session}`, 'sec-fetch-site': 'same-origin' } });

test('the list says what, from where, since when and until when; a sign-in of the tool ends a week after its last use', async () => {
  const one = await login();
  const { items } = await one.signIns.list();
  expect(items[0]).toMatchObject({
    kind: 'command_line',
    name: 'the svc command line tool',
    agent: null,
    organization: null,
    address: '127.0.0.1',
    current: true,
  });
  const [first] = items;
  const days = (instant: string | null | undefined): number => (Date.parse(instant ?? '') - Date.now()) / 86_400_000;
  expect(days(first?.ends_at)).toBeCloseTo(TTL.refreshToken / 86_400, 1);
  // Renewed on its last day but one, it ends with the 30 days, not a week later.
  const { db } = world.ctx;
  await db('program_sign_ins')
    .where({ sign_in_id: first?.sign_in_id ?? '' })
    .update({ created_at: new Date(Date.now() - (TTL.grant - 2 * 86_400) * 1000), expires_at: new Date(Date.now() + 1000), last_used_at: new Date(0) });
  const renewed = await renew(one.refresh_token);
  const [after] = (await at(renewed.access_token ?? '').list()).items;
  expect(after?.sign_in_id).toBe(first?.sign_in_id);
  expect(days(after?.ends_at)).toBeCloseTo(2, 1);
  const stored = await db('oidc_payload').where({ kind: 'RefreshToken' }).orderBy('expires_at', 'desc').first('expires_at');
  expect(days(stored?.expires_at?.toISOString())).toBeLessThan(TTL.refreshToken / 86_400 + 0.1);
});

test('a person ends one, with all that it opened; others go on, and strangers have no such sign-in', async () => {
  const [mine, stolen, bens] = [await login(), await login(), await login('ben@svc.local')];
  const [thief] = (await stolen.signIns.list()).items;
  const sign_in_id = thief?.sign_in_id ?? '';
  const params = { sign_in_id };
  await expect(bens.signIns.end({ params })).rejects.toMatchObject({ status: 404, code: 'sign_in_not_found' });
  await expect(mine.signIns.end({ params: { sign_in_id: 'sgn_unknown' } })).rejects.toMatchObject({ status: 404 });
  await mine.signIns.end({ params });
  expect([await status(stolen.access_token), (await renew(stolen.refresh_token)).status]).toEqual([401, 400]);
  expect([await status(mine.access_token), (await renew(mine.refresh_token)).status, await status(bens.access_token)]).toEqual([200, 200, 200]);
  expect((await mine.signIns.list()).items.map((one) => one.sign_in_id)).not.toContain(sign_in_id);
  await expect(mine.signIns.end({ params })).rejects.toMatchObject({ status: 404 });
});

test('a browser that is ended takes its visits at agents along; signing out does too', async () => {
  const mine = await login();
  const user = await userOf(mine.access_token);
  const visited = async (token: string): Promise<number> => (await fetch(`${world.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status;
  for (const end of [
    (one: { session_id: string }) => mine.signIns.end({ params: { sign_in_id: one.session_id } }),
    (one: { session: string }) => atBrowser(one.session, 'POST', '/v1/auth/logout'),
  ]) {
    const one = await browser(user);
    const listed = (await mine.signIns.list()).items;
    expect(listed.find((item) => item.sign_in_id === one.session_id)).toMatchObject({
      kind: 'browser',
      name: 'Firefox on Linux',
      address: '203.0.113.9',
      current: false,
    });
    expect(listed.filter((item) => item.kind === 'agent_page')).toMatchObject([{ agent: world.records['name'] }]);
    expect([(await atBrowser(one.session, 'GET', '/v1/me')).status, await visited(one.visit)]).toEqual([200, 200]);
    await end(one);
    expect([(await atBrowser(one.session, 'GET', '/v1/me')).status, await visited(one.visit)]).toEqual([401, 401]);
    expect((await mine.signIns.list()).items.filter((item) => item.kind === 'agent_page')).toEqual([]);
  }
});

test('all others are ended at once; the one that asks, and what it opened, goes on', async () => {
  const [mine, other, bens] = [await login(), await login(), await login('ben@svc.local')];
  const user = await userOf(mine.access_token);
  const [own, foreign] = [await browser(user), await browser(user)];
  const response = await atBrowser(own.session, 'POST', '/v1/me/sign-ins/end-others');
  expect(response.status).toBe(200);
  expect(((await response.json()) as { ended: number }).ended).toBeGreaterThanOrEqual(4);
  expect([await status(mine.access_token), await status(other.access_token), await status(foreign.visit)]).toEqual([401, 401, 401]);
  expect([(await atBrowser(own.session, 'GET', '/v1/me')).status, await status(own.visit), await status(bens.access_token)]).toEqual([200, 200, 200]);
  const left = (await (await atBrowser(own.session, 'GET', '/v1/me/sign-ins')).json()) as { items: { sign_in_id: string; current: boolean; kind: string }[] };
  expect(left.items.map(({ kind, current }) => [kind, current])).toEqual([
    ['browser', true],
    ['agent_page', false],
  ]);
});

test('the token of a sign-in by an organization ends by svc logout, which ends the sign-in that asks', async () => {
  const token = newPlatformToken();
  const user_id = await userOf(world.tokens.ben);
  await world.ctx
    .db('platform_tokens')
    .insert({ token_id: newId('tok'), token_hash: hashSecret(token), kind: 'user', user_id, label: 'sign-in of an organization' });
  expect(await status(token)).toBe(200);
  await at(token).end({ params: { sign_in_id: 'current' } });
  expect([await status(token), await status(world.tokens.ben)]).toEqual([401, 200]);
});

test("what an organization's provider vouches for sees and ends nothing but what that provider made", async () => {
  const mine = await login();
  const user_id = await userOf(mine.access_token);
  const { db } = world.ctx;
  const { slug } = await world.as('ada').organizations.create({ body: { slug: 'sign-ins', name: 'Sign-ins' } });
  const { organization_id = '' } = (await db('organizations').where({ slug }).first('organization_id')) ?? {};
  const connection_id = newId('sso');
  const now = new Date();
  const rules = { domains: [], default_role: 'developer' as const, makes_members: true, session_hours: 12 };
  const client = { issuer: 'https://login.example.com', client_id: 'svc', secret_sealed: 'sealed', created_at: now, updated_at: now, last_used_at: null };
  await db('sso_connections').insert({ connection_id, organization_id, ...rules, ...client });
  const proved = async (): Promise<{ id: string; token: string }> => {
    const [id, token] = [newId('tok'), newPlatformToken()];
    // Linked: it acts for the account.
    const proof = { sso_connection_id: connection_id, signed_in_at: now, sso_whole_account: true };
    await db('platform_tokens').insert({ token_id: id, token_hash: hashSecret(token), kind: 'user', user_id, label: 'sign-in of an organization', ...proof });
    return { id, token };
  };
  const [one, other] = [await proved(), await proved()];
  const own = await browser(user_id);
  const [current] = (await mine.signIns.list()).items;
  expect((await at(one.token).list()).items.map((item) => item.sign_in_id).toSorted()).toEqual([one.id, other.id].toSorted());
  for (const sign_in_id of [own.session_id, current?.sign_in_id ?? ''])
    await expect(at(one.token).end({ params: { sign_in_id } })).rejects.toMatchObject({ status: 404 });
  expect(await at(one.token).endOthers()).toEqual({ ended: 1 });
  expect([await status(other.token), await status(one.token), await status(mine.access_token), (await atBrowser(own.session, 'GET', '/v1/me')).status]).toEqual(
    [401, 200, 200, 200],
  );
  expect((await mine.signIns.list()).items.map((item) => item.sign_in_id)).toContain(one.id);
});

test("another provider's tokens are known by its session, or by client and time: what was ended stays ended, a later sign-in begins anew", async () => {
  const { db } = world.ctx;
  let claims: { family: string; clientId: string; issuedAt: number } = { family: 'sid:1:app', clientId: 'app', issuedAt: Date.now() - 60_000 };
  const identity = {
    issuer: 'https://elsewhere.example',
    subject: 'eve',
    email: 'eve@elsewhere.example',
    name: null,
    operator: false,
    expiresAt: Date.now() + 3_600_000,
  };
  const authenticate = createAuthenticator({ db, clock: Date.now, cacheMs: 0, accessTokens: { verify: async () => ({ ...identity, signIn: claims }) } });
  const ask = (token: string) => authenticate({ authorization: `Bearer ${token}`, cookies: {}, from: { address: '198.51.100.7', userAgent: 'app/1' } });
  const end = () => db('program_sign_ins').where({ issuer: identity.issuer, family: claims.family }).update({ ended_at: new Date() });
  expect(await ask('a.b.c')).toMatchObject({ kind: 'user', sign_in: expect.stringMatching(/^sgn_/) });
  expect(await db('program_sign_ins').where({ issuer: identity.issuer })).toMatchObject([{ address: '198.51.100.7', client_id: 'app' }]);
  await end();
  forgetSignIns(db);
  await expect(ask('a.b.c')).rejects.toMatchObject({ code: 'token_invalid' });
  claims = { ...claims, issuedAt: Date.now() + 1_000 };
  await expect(ask('a.b.d')).rejects.toMatchObject({ code: 'token_invalid' });
  claims = { family: 'client:app:eve', clientId: 'app', issuedAt: Date.now() - 60_000 };
  expect(await ask('a.b.e')).toMatchObject({ kind: 'user' });
  await end();
  forgetSignIns(db);
  await expect(ask('a.b.e')).rejects.toMatchObject({ code: 'token_invalid' });
  claims = { ...claims, issuedAt: Date.now() + 1_000 };
  expect(await ask('a.b.f')).toMatchObject({ kind: 'user' });
});

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { verifies } from '#test/spec/verifies.ts';
import { Browser } from '#drivers/idp/test-browser.ts';
import { DONE, serveAuth } from './test/sign-in.ts';

const json = { accept: 'application/json' };
let api: Awaited<ReturnType<typeof serveAuth>>;
let url: (path: string) => URL;

beforeAll(async () => {
  api = await serveAuth();
  url = (path) => new URL(path, api.baseUrl);
});
afterAll(() => api.close());
afterEach(() => expect(api.errors).toEqual([]));

const done = () => url(DONE).href;
const newBrowser = () => new Browser(done());
const bearer = async (email: string) => (await api.tokens(email)).access_token;

async function signIn(browser: Browser, email: string, start = `/v1/auth/oidc/start?redirect_to=${DONE}`) {
  const page = await browser.get(url(start));
  return page.left ? page : browser.post(page, { email, password: await api.password(email) });
}
const whoIs = async (browser: Browser) => JSON.parse((await browser.get(url('/v1/auth/session'), json)).body).user?.email;

verifies('auth.logout', 'a browser signs in: start, the provider, callback, session; and out again', async () => {
  const browser = newBrowser();
  expect((await signIn(browser, 'ada@svc.local')).left?.href).toBe(done());
  expect(await whoIs(browser)).toBe('ada@svc.local');
  const me = await browser.get(url('/v1/me'), json);
  expect(JSON.parse(me.body)).toMatchObject({ email: 'ada@svc.local', name: 'Ada Lovelace', operator: false });
  const [cookie = ''] = browser.seen.filter((line) => line.startsWith('__Host-svc_session='));
  for (const word of ['secure', 'httponly', 'samesite=lax', 'path=/']) expect(cookie.toLowerCase()).toContain(word);
  expect(cookie.toLowerCase()).not.toContain('domain');
  const token = cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';'));
  const out = await browser.send('POST', url('/v1/auth/logout?redirect_to=/bye'), json);
  expect(JSON.parse(out.body)).toMatchObject({ signed_out: true, redirect_to: '/bye', end_session_url: expect.stringContaining('/idp/session/end') });
  expect(await whoIs(browser)).toBeUndefined();
  // The stolen cookie is worth nothing now.
  const stolen = await fetch(url('/v1/me'), { headers: { cookie: `__Host-svc_session=${token}` } });
  expect(stolen.status).toBe(401);
});

verifies('auth.logout', 'everywhere: the sessions of other browsers end too, those of other accounts do not', async () => {
  const [here, there, other] = [newBrowser(), newBrowser(), newBrowser()];
  await Promise.all([signIn(here, 'ada@svc.local'), signIn(there, 'ada@svc.local'), signIn(other, 'ben@svc.local')]);
  const out = await here.send('POST', url('/v1/auth/logout?everywhere=true'), json);
  expect(JSON.parse(out.body)).toMatchObject({ signed_out: true });
  expect([await whoIs(here), await whoIs(there), await whoIs(other)]).toEqual([undefined, undefined, 'ben@svc.local']);
  // Nor does the provider know the other browser any more: it asks for the password.
  const asked = await there.get(url(`/v1/auth/oidc/start?redirect_to=${DONE}`));
  expect([asked.left, asked.body]).toEqual([undefined, expect.stringContaining('type="password"')]);
  const known = await other.get(url(`/v1/auth/oidc/start?redirect_to=${DONE}`));
  expect(known.left?.href).toBe(done());
  // An unknown session: nothing ends.
  const again = await here.send('POST', url('/v1/auth/logout?everywhere=true'), json);
  expect(JSON.parse(again.body)).toMatchObject({ signed_out: false });
  expect(await whoIs(other)).toBe('ben@svc.local');
});

verifies('auth.start', 'others get the same facts as JSON', async () => {
  const start = await api.as().auth.start({ query: { redirect_to: '/agents', login_hint: 'ada@svc.local' } });
  expect(start.authorization_url).toContain(`${api.idp.issuer}/auth?`);
  expect(new URL(start.authorization_url).searchParams.get('login_hint')).toBe('ada@svc.local');
  expect(await api.as().auth.session()).toEqual({ authenticated: false, user: null, expires_at: null, acts_only_for: null });
  expect(await api.as(await bearer('ben@svc.local')).auth.me()).toMatchObject({ email: 'ben@svc.local' });
  await expect(api.as().auth.me()).rejects.toMatchObject({ status: 401 });
  await expect(api.as('junk').auth.session()).rejects.toMatchObject({ status: 401, code: 'token_invalid' });
});

verifies('auth.start', 'open redirects: only a path of this origin is taken', async () => {
  for (const bad of [
    '//evil.test',
    '/\\evil.test',
    'https://evil.test',
    'javascript:alert(1)',
    '/\t/evil.test',
    '/ok\nx',
    '\\\\evil.test',
    '/%0a/..//evil'.replace('%0a', '\r'),
  ]) {
    await expect(api.as().auth.start({ query: { redirect_to: bad } }), bad).rejects.toMatchObject({ status: 422 });
    await expect(api.as().auth.logout({ query: { redirect_to: bad } }), bad).rejects.toMatchObject({ status: 422 });
  }
});

verifies('auth.callback', 'the callback counts only in the browser that began, once, and in time', async () => {
  const victim = newBrowser();
  const attacker = newBrowser();
  const callback = new Browser(url('/v1/auth/oidc/callback').href);
  const page = await callback.get(url('/v1/auth/oidc/start'));
  const sent = (await callback.post(page, { email: 'ada@svc.local', password: await api.password('ada@svc.local') })).left ?? url('/');
  // Login CSRF: the attacker's answer in the victim's browser.
  expect((await victim.get(sent, json)).status).toBe(403);
  await victim.get(url('/v1/auth/oidc/start'), json);
  expect((await victim.get(sent, json)).status).toBe(403);
  expect((await attacker.get(url('/v1/auth/oidc/callback'), json)).status).toBe(400);
  expect((await attacker.get(url('/v1/auth/oidc/callback?state=x'), json)).status).toBe(400);
  expect((await attacker.get(url('/v1/auth/oidc/callback?state=x&code=y'), json)).status).toBe(403);
  expect((await callback.send('GET', sent, json)).status).toBe(200);
  expect((await callback.send('GET', sent, json)).status).toBe(403);
  const refused = await callback.get(url('/v1/auth/oidc/start'));
  const state = refused.left?.searchParams.get('state') ?? '';
  expect((await callback.send('GET', url(`/v1/auth/oidc/callback?state=${state}&error=access_denied`), json)).status).toBe(401);
  const late = (await callback.get(url('/v1/auth/oidc/start'))).left ?? url('/');
  api.later(601_000);
  expect((await callback.send('GET', late, json)).status).toBe(403);
  expect(await whoIs(victim)).toBeUndefined();
});

verifies('auth.callback', 'a person whose sign-in went wrong gets a page, not JSON', async () => {
  const page = await newBrowser().get(url('/v1/auth/oidc/callback?state=x&code=<script>'));
  expect(page.status).toBe(403);
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.body).toContain('That did not work');
  expect(page.body).not.toContain('<script');
  expect((await newBrowser().get(url('/v1/me'))).headers.get('content-type')).toContain('application/json');
});

verifies('auth.callback', 'two tabs may sign in at once', async () => {
  const browser = new Browser(url('/v1/auth/oidc/callback').href);
  await signIn(browser, 'ada@svc.local', '/v1/auth/oidc/start');
  const first = await browser.get(url('/v1/auth/oidc/start'));
  const second = await browser.get(url('/v1/auth/oidc/start'));
  expect((await browser.send('GET', first.left ?? url('/'), json)).status).toBe(200);
  expect((await browser.send('GET', second.left ?? url('/'), json)).status).toBe(200);
});

verifies('auth.callback', 'session fixation: signing in gives a new token and ends the one the browser brought', async () => {
  const browser = newBrowser();
  browser.plant('__Host-svc_session', 'planted-by-somebody-else');
  await signIn(browser, 'ada@svc.local');
  const first = browser.cookie('__Host-svc_session');
  expect(first).not.toBe('planted-by-somebody-else');
  await signIn(browser, 'ada@svc.local');
  const second = browser.cookie('__Host-svc_session');
  expect(second).not.toBe(first);
  expect((await fetch(url('/v1/me'), { headers: { cookie: `__Host-svc_session=${first}` } })).status).toBe(401);
});

verifies(['auth.logout', 'sessions.csrf'], 'CSRF: another site cannot sign a person out or confirm for them', async () => {
  const browser = newBrowser();
  await signIn(browser, 'ada@svc.local');
  const cross = { ...json, 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' };
  expect((await browser.send('POST', url('/v1/auth/logout'), cross)).status).toBe(403);
  expect(await whoIs(browser)).toBe('ada@svc.local');
});

verifies('auth.session', 'an expired session is anonymous; a bearer token wins over a cookie', async () => {
  const browser = newBrowser();
  await signIn(browser, 'ada@svc.local');
  const cookie = `__Host-svc_session=${browser.cookie('__Host-svc_session')}`;
  const token = await bearer('ben@svc.local');
  const who = await fetch(url('/v1/me'), { headers: { cookie, authorization: `Bearer ${token}` } });
  expect(await who.json()).toMatchObject({ email: 'ben@svc.local' });
  await api.db('web_sessions').update({ expires_at: new Date(0) });
  expect((await fetch(url('/v1/me'), { headers: { cookie } })).status).toBe(401);
});

verifies('auth.confirmCliSession', 'a link from the command line asks the person first, then signs in', async () => {
  const link = await api.as(await bearer('ada@svc.local')).auth.createCliSession({ body: { redirect_to: DONE } });
  const browser = newBrowser();
  const page = await browser.get(new URL(link.redeem_url));
  expect(page.body).toContain('Sign in as ada@svc.local?');
  expect(await whoIs(browser)).toBeUndefined();
  // A repeated request of the same browser, then of another one.
  expect((await browser.send('GET', new URL(link.redeem_url), json)).status).toBe(409);
  expect((await newBrowser().get(new URL(link.redeem_url), json)).status).toBe(410);
  api.later(61_000);
  expect((await browser.send('GET', new URL(link.redeem_url), json)).status).toBe(410);
  const cross = await browser.send('POST', url('/v1/auth/cli-session/confirm'), { ...json, 'sec-fetch-site': 'cross-site' });
  expect(cross.status).toBe(403);
  expect((await browser.post(page, {})).left?.href).toBe(done());
  expect(await whoIs(browser)).toBe('ada@svc.local');
  expect((await browser.send('POST', url('/v1/auth/cli-session/confirm'), json)).status).toBe(403);
});

verifies('auth.redeemCliSession', 'with a session of the same account the link just renews it; of another account it asks', async () => {
  const browser = newBrowser();
  await signIn(browser, 'ada@svc.local');
  const own = await api.as(await bearer('ada@svc.local')).auth.createCliSession({ body: { redirect_to: DONE } });
  expect((await browser.get(new URL(own.redeem_url))).left?.href).toBe(done());
  const foreign = await api.as(await bearer('ben@svc.local')).auth.createCliSession({ body: {} });
  expect((await browser.get(new URL(foreign.redeem_url))).body).toContain('Sign in as ben@svc.local?');
  expect(await whoIs(browser)).toBe('ada@svc.local');
});

verifies('auth.redeemCliSession', 'a path in any script leads there, encoded, and its code is used once', async () => {
  const path = '/grüße/日本?to=ä';
  const ada = await bearer('ada@svc.local');
  const browser = newBrowser();
  await signIn(browser, 'ada@svc.local');
  const link = await api.as(ada).auth.createCliSession({ body: { redirect_to: path } });
  const followed = await browser.send('GET', new URL(link.redeem_url), { accept: 'text/html' });
  expect([followed.status, followed.headers.get('location')]).toEqual([302, '/gr%C3%BC%C3%9Fe/%E6%97%A5%E6%9C%AC?to=%C3%A4']);
  const fresh = newBrowser();
  const page = await fresh.get(new URL((await api.as(ada).auth.createCliSession({ body: { redirect_to: path } })).redeem_url));
  expect((await fresh.post(page, {})).status).not.toBe(500);
  expect(await whoIs(fresh)).toBe('ada@svc.local');
  // Half a character is no path: refused before there is a code.
  await expect(api.as(ada).auth.createCliSession({ body: { redirect_to: '/\ud800' } })).rejects.toMatchObject({ status: 422 });
});

verifies(['auth.createCliSession', 'auth.redeemCliSession'], 'link codes: malformed, unknown, expired; who may make and redeem them', async () => {
  const ada = await bearer('ada@svc.local');
  await expect(api.as().auth.redeemCliSession({ query: { code: 'short' } })).rejects.toMatchObject({ status: 422 });
  await expect(api.as().auth.redeemCliSession({ query: { code: 'x'.repeat(43) } })).rejects.toMatchObject({ status: 403 });
  await expect(api.as().auth.createCliSession({ body: {} })).rejects.toMatchObject({ status: 401 });
  await expect(api.as(ada).auth.createCliSession({ body: { redirect_to: '//evil.test' } })).rejects.toMatchObject({ status: 422 });
  const { code } = await api.as(ada).auth.createCliSession({ body: {} });
  await expect(api.as(await bearer('ben@svc.local')).auth.redeemCliSession({ query: { code } })).rejects.toMatchObject({ status: 403, code: 'other_account' });
  expect(await api.as(ada).auth.redeemCliSession({ query: { code } })).toMatchObject({ confirm: false });
  await expect(api.as(ada).auth.redeemCliSession({ query: { code } })).rejects.toMatchObject({ status: 409 });
  const old = await api.as(ada).auth.createCliSession({ body: {} });
  api.later(121_000);
  await expect(api.as(ada).auth.redeemCliSession({ query: { code: old.code } })).rejects.toMatchObject({ status: 410 });
  const browser = newBrowser();
  await signIn(browser, 'ada@svc.local');
  const bySession = await browser.send('POST', url('/v1/auth/cli-session'), { ...json, 'content-type': 'application/json' }, '{}');
  expect(bySession.status).toBe(403);
});

verifies(['auth.redeemCliSession', 'codes.once'], 'a hundred redemptions at once: exactly one wins', async () => {
  const ada = await bearer('ada@svc.local');
  const { code } = await api.as(ada).auth.createCliSession({ body: {} });
  const before = await api.db('web_sessions').count().first();
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const headers = i % 2 === 0 ? { ...json, authorization: `Bearer ${ada}` } : json;
      return (await fetch(url(`/v1/auth/cli-session/redeem?code=${code}`), { headers })).status;
    }),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409 || status === 410)).toHaveLength(99);
  const after = await api.db('web_sessions').count().first();
  expect(Number(after?.count) - Number(before?.count)).toBeLessThanOrEqual(1);
});

verifies('auth.exchangeAgentSession', 'the hand-over to an agent: a code for its own origin, once, for a token of this agent only', async () => {
  const ada = await api.as(await bearer('ada@svc.local')).auth.me();
  const insert = (agent_id: string, name: string) => api.db('agents').insert({ agent_id, name, owner_id: ada.user_id, kind: 'hosted' });
  await insert('agt_one', 'text-kit');
  await insert('agt_two', 'other');
  const browser = new Browser(`http://text-kit.${url('/').host}`);
  await signIn(new Browser(), 'ada@svc.local');
  const authorize = '/v1/auth/agent-session/authorize?agent=text-kit&next=/app';
  expect((await fetch(url(authorize), { headers: json })).status).toBe(401);
  const signInFirst = await browser.get(url(authorize));
  expect(signInFirst.body).toContain('Sign in');
  const question = await browser.post(signInFirst, { email: 'ada@svc.local', password: await api.password('ada@svc.local') });
  expect(question.body).toContain('Let text-kit know who you are?');
  const { left } = await browser.post(question, {});
  expect(left?.origin).toBe(`http://text-kit.${url('/').host}`);
  expect(left?.searchParams.get('next')).toBe('/app');
  const code = left?.searchParams.get('code') ?? '';
  const exchange = (agent: string, headers: Record<string, string> = {}) => api.as().auth.exchangeAgentSession({ body: { agent, code } }, { headers });
  await expect(exchange('other')).rejects.toMatchObject({ status: 403 });
  await expect(exchange('nobody-knows')).rejects.toMatchObject({ status: 403 });
  await expect(exchange('text-kit', { origin: `http://other.${url('/').host}` })).rejects.toMatchObject({ status: 403 });
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => exchange('text-kit', { origin: left?.origin ?? '' })));
  const [won, ...more] = results.filter((result) => result.status === 'fulfilled');
  expect(more).toEqual([]);
  expect(won?.value).toMatchObject({ agent: 'text-kit', token_type: 'Bearer', next: '/app' });
  await expect(exchange('text-kit')).rejects.toMatchObject({ status: 410 });
  // It says who the person is, and opens nothing else; nor does it serve another person.
  expect(await api.as(won?.value.access_token).auth.me()).toMatchObject({ email: 'ada@svc.local', operator: false });
  await expect(api.as(won?.value.access_token).auth.authorizeAgentSession({ query: { agent: 'text-kit' } })).rejects.toMatchObject({ status: 403 });
  await expect(api.as(won?.value.access_token).auth.createCliSession({ body: {} })).rejects.toMatchObject({ status: 403 });
  await expect(api.as(await bearer('ben@svc.local')).auth.authorizeAgentSession({ query: { agent: 'text-kit' } })).rejects.toMatchObject({ status: 404 });
});

verifies(
  'auth.authorizeAgentSession',
  'no page of another site can hand a person over to an agent: they are asked once for each, and can take it back',
  async () => {
    const ben = await api.as(await bearer('ben@svc.local')).auth.me();
    const insert = (agent_id: string, name: string) => api.db('agents').insert({ agent_id, name, owner_id: ben.user_id, kind: 'hosted' });
    await insert('agt_three', 'shop');
    await insert('agt_four', 'lurker');
    const browser = newBrowser();
    await signIn(browser, 'ben@svc.local');
    const at = (agent: string, next = '/app') => url(`/v1/auth/agent-session/authorize?${new URLSearchParams({ agent, next })}`);
    const codes = async () => Number((await api.db('one_time_codes').where({ kind: 'agent_session', user_id: ben.user_id }).count().first())?.count);
    const before = await codes();
    // Another site redirects here: the person sees a question, and no code is made.
    const asked = await browser.get(at('lurker'), { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' });
    expect([asked.left, asked.status, asked.url.pathname]).toEqual([undefined, 200, '/sign-in/agent']);
    expect(asked.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    const program = await browser.send('GET', at('lurker'), json);
    expect([program.status, JSON.parse(program.body).detail]).toMatchObject([
      403,
      { code: 'consent_required', consent_url: url('/sign-in/agent?agent=lurker&next=%2Fapp').href },
    ]);
    // Nor can it answer the question: not from its own page, not with another's form, not for another agent.
    const question = await browser.get(at('shop'));
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(question.body) ?? [];
    const answer = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      browser.send('POST', url('/sign-in/agent'), { 'content-type': 'application/x-www-form-urlencoded', ...headers }, String(new URLSearchParams(fields)));
    const right = { agent: 'shop', next: '/app', token };
    expect((await answer(right, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' })).status).toBe(403);
    expect((await answer(right, { 'sec-fetch-site': 'same-site', origin: `http://lurker.${url('/').host}` })).status).toBe(403);
    expect((await answer({ ...right, token: '' })).status).toBe(403);
    expect((await answer({ ...right, agent: 'lurker' })).status).toBe(403);
    expect((await answer({ ...right, next: '/elsewhere' })).status).toBe(403);
    const other = newBrowser();
    await signIn(other, 'ada@svc.local');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await other.send('POST', url('/sign-in/agent'), form, String(new URLSearchParams(right)))).status).toBe(403);
    expect((await newBrowser().send('POST', url('/sign-in/agent'), form, String(new URLSearchParams(right)))).status).toBe(401);
    expect(await codes()).toBe(before);
    // The person says yes: on to that agent, and from then on without a question; not to another one.
    const went = await browser.post(question, {});
    expect(went.left?.origin).toBe(`http://shop.${url('/').host}`);
    expect((await browser.get(at('shop', '/again'))).left?.searchParams.get('next')).toBe('/again');
    expect((await browser.get(at('lurker'))).left).toBeUndefined();
    const given = await api.db('audit_log').where({ action: 'agent_consent.give', actor_id: ben.user_id }).select('target_id');
    expect(given).toEqual([{ target_id: 'agt_three' }]);
    // Taken back: the session there ends, and the next hand-over asks again.
    const code = went.left?.searchParams.get('code') ?? '';
    const session = await api.as().auth.exchangeAgentSession({ body: { agent: 'shop', code } });
    expect(await api.as(session.access_token).auth.me()).toMatchObject({ email: 'ben@svc.local' });
    const list = await browser.get(url('/sign-in/agents'));
    expect(list.body).toContain('shop');
    expect(list.body).not.toContain('lurker');
    expect((await browser.post(list, {})).body).toContain('There are none');
    await expect(api.as(session.access_token).auth.me()).rejects.toMatchObject({ status: 401 });
    expect((await browser.get(at('shop'))).left).toBeUndefined();
    // From one of two: sessions at the other go on.
    const enter = async (agent: string): Promise<string> => {
      const { left } = await browser.post(await browser.get(at(agent)), {});
      return (await api.as().auth.exchangeAgentSession({ body: { agent, code: left?.searchParams.get('code') ?? '' } })).access_token;
    };
    const [atShop, atLurker] = [await enter('shop'), await enter('lurker')];
    const remaining = await browser.post(await browser.get(url('/sign-in/agents')), {});
    expect(remaining.body).toContain('lurker');
    expect(remaining.body).not.toContain('shop');
    await expect(api.as(atShop).auth.me()).rejects.toMatchObject({ status: 401 });
    expect(await api.as(atLurker).auth.me()).toMatchObject({ email: 'ben@svc.local' });
  },
);

test('the question shows what an agent’s address may carry as text, and leads nowhere else', async () => {
  const browser = newBrowser();
  await signIn(browser, 'ben@svc.local');
  for (const [query, status] of [
    ['agent=%3Cscript%3E&next=/', 403],
    ['agent=nobody-knows&next=/', 404],
    ['next=/', 403],
    [`agent=shop&next=${encodeURIComponent('https://evil.test/')}`, 200],
  ] as const) {
    const page = await browser.get(url(`/sign-in/agent?${query}`));
    expect(page.status, query).toBe(status);
    expect(page.body).not.toMatch(/<script|evil\.test/);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  }
  const hidden = await browser.get(url(`/sign-in/agent?${new URLSearchParams({ agent: 'shop', next: '/"><img src=x onerror=1>' })}`));
  expect(hidden.body).not.toContain('<img');
  expect((await browser.send('PUT', url('/sign-in/agent'))).status).toBe(405);
});

verifies('auth.start', 'without an identity provider no sign-in can start, and dependent routes report it', async () => {
  const { login } = api.drivers;
  try {
    api.drivers.login = undefined;
    await expect(api.as().auth.start()).rejects.toMatchObject({ status: 404, code: 'sign_in_unavailable' });
    expect(await api.as().auth.logout()).toMatchObject({ signed_out: false, end_session_url: null });
  } finally {
    api.drivers.login = login;
  }
});

test('no secret is logged', async () => {
  const browser = newBrowser();
  await signIn(browser, 'ada@svc.local');
  const text = api.lines.join('');
  expect(text).not.toContain(browser.cookie('__Host-svc_session'));
  expect(text).not.toMatch(/[?&](code|state)=[\w-]{20,}/);
});

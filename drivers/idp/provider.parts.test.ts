import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLI_CLIENT_ID, LOCAL_GRANT, WEB_CLIENT_ID } from '#contract/identity/oauth.ts';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { removeExpired } from './adapter.ts';
import { ensureLocalAccounts } from './accounts.ts';
import { Browser } from './test-browser.ts';
import { createLoginProvider } from './login.ts';
import { createIdp } from './provider.ts';
import { startTestIdp, type TestIdp } from './test/idp.ts';

const db = createPool({ connectionString: (await testDatabase()).url, max: 10 });
let it: TestIdp;
let cli: oidc.Configuration;
const redirectUri = 'http://127.0.0.1:41873/callback';

beforeAll(async () => {
  it = await startTestIdp(db);
  cli = await oidc.discovery(new URL(it.idp.issuer), CLI_CLIENT_ID, undefined, oidc.None(), { execute: [oidc.allowInsecureRequests] });
});
afterAll(async () => {
  await it.close();
  await db.destroy();
});

async function begin(parameters: Record<string, string> = {}) {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const url = oidc.buildAuthorizationUrl(cli, {
    redirect_uri: redirectUri,
    scope: 'openid email offline_access mcp:invoke agent:read',
    state,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  return { url, checks: { pkceCodeVerifier: verifier, expectedState: state } };
}

async function signIn(email: string) {
  const { url, checks } = await begin();
  const browser = new Browser();
  const page = await browser.get(url);
  expect(page.status).toBe(200);
  const answer = await browser.post(page, { email, password: await it.password(email) });
  expect(answer.left, answer.body).toBeDefined();
  return { tokens: await oidc.authorizationCodeGrant(cli, answer.left ?? url, checks), browser, callback: answer.left ?? url, checks };
}

test('a person signs in from the command line: at+jwt for the API, refresh token, who they are', async () => {
  const { tokens } = await signIn('ada@svc.local');
  expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'EdDSA', typ: 'at+jwt' });
  const keys = createRemoteJWKSet(new URL(`${it.idp.issuer}/jwks`));
  const { payload } = await jwtVerify(tokens.access_token, keys, { issuer: it.idp.issuer, audience: it.baseUrl, typ: 'at+jwt', algorithms: ['EdDSA'] });
  expect(payload).toMatchObject({ email: 'ada@svc.local', name: 'Ada Lovelace', client_id: CLI_CLIENT_ID, scope: 'email mcp:invoke agent:read' });
  expect(payload.svc_operator).toBeUndefined();
  expect(tokens.refresh_token).toBeDefined();
  expect(tokens.claims()).toMatchObject({ email: 'ada@svc.local' });
  expect(it.errors).toEqual([]);
});

test('only an operator account carries the operator claim', async () => {
  const { tokens } = await signIn('operator@svc.local');
  const { payload } = await jwtVerify(tokens.access_token, createRemoteJWKSet(new URL(`${it.idp.issuer}/jwks`)));
  expect(payload.svc_operator).toBe(true);
});

test('a second sign-in of the same browser needs no password', async () => {
  const { browser } = await signIn('ben@svc.local');
  const { url, checks } = await begin();
  const answer = await browser.get(url);
  expect((await oidc.authorizationCodeGrant(cli, answer.left ?? url, checks)).refresh_token).toBeDefined();
  const asked = await begin({ prompt: 'consent' });
  expect((await browser.get(asked.url)).left?.searchParams.get('code')).toBeTruthy();
});

test('a code works once, and its second use revokes what the first one got', async () => {
  const { tokens, callback, checks } = await signIn('ada@svc.local');
  await expect(oidc.authorizationCodeGrant(cli, callback, checks)).rejects.toMatchObject({ error: 'invalid_grant' });
  await expect(oidc.refreshTokenGrant(cli, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
});

test('refresh tokens rotate; the second use of one ends its family and no other', async () => {
  const other = await signIn('ada@svc.local');
  const { tokens } = await signIn('ada@svc.local');
  const second = await oidc.refreshTokenGrant(cli, tokens.refresh_token ?? '');
  expect(second.refresh_token).not.toBe(tokens.refresh_token);
  expect(decodeProtectedHeader(second.access_token).typ).toBe('at+jwt');
  await expect(oidc.refreshTokenGrant(cli, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
  await expect(oidc.refreshTokenGrant(cli, second.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
  await oidc.refreshTokenGrant(cli, other.tokens.refresh_token ?? '');
});

test('of many uses of one refresh token at once, one wins', async () => {
  const { refresh_token: token = '' } = await it.tokens('ben@svc.local');
  const results = await Promise.allSettled(Array.from({ length: 12 }, () => oidc.refreshTokenGrant(cli, token)));
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
});

test('PKCE is required, and other redirect addresses, resources and response types are refused', async () => {
  const browser = new Browser();
  const { url } = await begin();
  const change = async (edit: (parameters: URLSearchParams) => void) => {
    const changed = new URL(url);
    edit(changed.searchParams);
    return browser.get(changed);
  };
  const noPkce = await change((query) => {
    query.delete('code_challenge');
    query.delete('code_challenge_method');
  });
  expect(noPkce.left?.searchParams.get('error')).toBe('invalid_request');
  expect((await change((query) => query.set('code_challenge_method', 'plain'))).left?.searchParams.get('error')).toBe('invalid_request');
  expect((await change((query) => query.set('resource', 'https://elsewhere.test'))).left?.searchParams.get('error')).toBe('invalid_target');
  expect((await change((query) => query.set('response_type', 'id_token'))).left?.toString()).toMatch(/error=/);
  for (const elsewhere of ['https://evil.test/callback', 'http://127.0.0.1:41873/other', 'http://localhost.evil.test/callback']) {
    const refused = await change((query) => query.set('redirect_uri', elsewhere));
    expect(refused).toMatchObject({ status: 400, left: undefined });
  }
});

test('the sign-in page: no script, no framing, one message for all wrong passwords, guesses are counted', async () => {
  const browser = new Browser();
  const page = await browser.get((await begin({ login_hint: '"><script>alert(1)</script>' })).url);
  expect(page.body).not.toContain('<script');
  expect(page.headers.get('content-security-policy')).toMatch(/script-src 'none'.*/);
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  const wrong = await browser.post(page, { email: 'ada@svc.local', password: 'wrong' });
  const nobody = await browser.post(page, { email: 'nobody@svc.local', password: 'wrong' });
  expect([wrong.status, nobody.status]).toEqual([401, 401]);
  expect(nobody.body.replace('nobody@', 'ada@')).toBe(wrong.body);
  const statuses: number[] = [];
  for (let i = 0; i < 12; i++) statuses.push((await browser.post(page, { email: 'guess@svc.local', password: `${i}` })).status);
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
  expect(statuses.slice(10)).toEqual([429, 429]);
});

test('every answer forbids framing and foreign scripts', async () => {
  for (const path of ['/session/end', '/device', '/.well-known/openid-configuration', '/auth', '/nowhere']) {
    const { headers } = await fetch(`${it.idp.issuer}${path}`, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy'), path).not.toContain('unsafe-inline');
  }
});

test('a sign-in page belongs to the browser that began it', async () => {
  const victim = new Browser();
  const page = await new Browser().get((await begin()).url);
  const stolen = await victim.post(page, { email: 'ada@svc.local', password: await it.password('ada@svc.local') });
  expect(stolen.status).toBe(400);
  const own = new Browser();
  const ownPage = await own.get((await begin()).url);
  const crossSite = await own.post(ownPage, { email: 'ada@svc.local', password: await it.password('ada@svc.local') }, { 'sec-fetch-site': 'cross-site' });
  expect(crossSite.status).toBe(400);
});

test('the device flow: a link fills the code in, the person confirms, the device gets tokens', async () => {
  const device = await oidc.initiateDeviceAuthorization(cli, { scope: 'openid email offline_access mcp:invoke agent:read' });
  const browser = new Browser();
  const form = await browser.get(new URL(device.verification_uri_complete ?? ''));
  expect(form.body).toContain(device.user_code);
  expect(form.body).not.toContain('<script');
  const confirm = await browser.post(form, { user_code: device.user_code });
  expect(confirm.body).toContain('Is this your device?');
  const login = await browser.post(confirm, { user_code: device.user_code, confirm: 'yes' });
  expect(login.body).toContain('Sign in');
  const done = await browser.post(login, { email: 'ben@svc.local', password: await it.password('ben@svc.local') });
  expect(done.body).toContain('You can close this page');
  const tokens = await oidc.pollDeviceAuthorizationGrant(cli, { ...device, interval: 0.05 });
  expect(tokens.refresh_token).toBeDefined();
});

test('the local grant: the key file mints, anything else does not', async () => {
  const tokens = await it.tokens('ada@svc.local');
  expect(decodeProtectedHeader(tokens.access_token).typ).toBe('at+jwt');
  expect((await oidc.refreshTokenGrant(cli, tokens.refresh_token ?? '')).access_token).toBeTruthy();
  expect((await it.tokens('ada@svc.local', 'openid email')).refresh_token).toBeUndefined();
  const attempt = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({
      grant_type: LOCAL_GRANT,
      client_id: CLI_CLIENT_ID,
      account: 'ada@svc.local',
      key: (await readFile(it.keyFile, 'utf8')).trim(),
      ...fields,
    });
    return (await fetch(`${it.idp.issuer}/token`, { method: 'POST', body })).status;
  };
  expect(await attempt({})).toBe(200);
  expect(await attempt({ key: 'guess' })).toBe(400);
  expect(await attempt({ key: '' })).toBe(400);
  expect(await attempt({ account: 'nobody@svc.local' })).toBe(400);
  expect(await attempt({ client_id: WEB_CLIENT_ID })).toBe(401);
  const key = await readFile(it.keyFile, 'utf8');
  await writeFile(it.keyFile, '');
  expect(await attempt({ key: '' })).toBe(400);
  await writeFile(it.keyFile, key);
});

test('the API signs people in with its own client', async () => {
  const redirect = `${it.baseUrl}/v1/auth/oidc/callback`;
  const login = createLoginProvider({
    issuer: it.idp.issuer,
    clientId: WEB_CLIENT_ID,
    clientSecret: it.idp.webClientSecret,
    redirectUri: redirect,
    homeUri: `${it.baseUrl}/`,
  });
  const request = { state: 'state-1', nonce: 'nonce-1', codeVerifier: oidc.randomPKCECodeVerifier() };
  const browser = new Browser(redirect);
  const page = await browser.get(await login.authorizationUrl({ ...request, loginHint: 'ada@svc.local' }));
  expect(page.body).toContain('value="ada@svc.local"');
  const answer = await browser.post(page, { email: 'ada@svc.local', password: await it.password('ada@svc.local') });
  const query = answer.left?.searchParams ?? new URLSearchParams();
  await expect(login.finish({ ...request, nonce: 'other', query })).rejects.toMatchObject({ code: 'invalid' });
  await expect(login.finish({ ...request, query })).rejects.toMatchObject({ code: 'invalid' });
  const again = await browser.get(await login.authorizationUrl(request));
  const identity = await login.finish({ ...request, query: again.left?.searchParams ?? query });
  expect(identity).toMatchObject({ issuer: it.idp.issuer, email: 'ada@svc.local', name: 'Ada Lovelace', operator: false });
  expect(String(await login.endSessionUrl())).toContain('/session/end');
});

test('an issuer that does not exist is unreachable', async () => {
  const login = createLoginProvider({
    issuer: 'http://127.0.0.1:9/idp',
    clientId: 'x',
    clientSecret: 'y',
    redirectUri: 'http://127.0.0.1/cb',
    homeUri: 'http://127.0.0.1/',
  });
  await expect(login.authorizationUrl({ state: 's', nonce: 'n', codeVerifier: 'v' })).rejects.toMatchObject({ code: 'unreachable' });
});

test('behind a proxy that ends TLS: addresses and cookies are https, and clients cannot forge their address', async () => {
  const options = { db, vault: it.vault, baseUrl: 'https://svc.example', issuer: 'https://svc.example/idp', accountsFile: it.accountsFile };
  const [direct, proxied] = [await createIdp(options), await createIdp({ ...options, trustProxy: true })];
  const chosen = { idp: direct };
  const server = createServer((request, response) => void chosen.idp.handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const ask = (path: string, headers: Record<string, string> = {}, body?: string) =>
    new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
      const sent = request({ port, path, method: body === undefined ? 'GET' : 'POST', headers: { host: 'svc.example', ...headers } }, async (response) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }),
      );
      sent.once('error', reject).end(body);
    });
  const cookiesOf = (headers: IncomingHttpHeaders) => (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
  try {
    const discovery = JSON.parse((await ask('/idp/.well-known/openid-configuration', { 'x-forwarded-host': 'evil.test' })).body);
    expect(discovery).toMatchObject({ issuer: 'https://svc.example/idp', token_endpoint: 'https://svc.example/idp/token' });
    const { url } = await begin();
    const start = await ask(`/idp/auth${url.search}`, { accept: 'text/html' });
    expect(start.headers.location).toMatch(/^https:\/\/svc\.example\/idp\/interaction\//);
    for (const line of start.headers['set-cookie'] ?? []) expect(line.toLowerCase()).toContain('secure');
    const guess = async (i: number) => {
      const headers = { cookie: cookiesOf(start.headers), 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': `203.0.113.${i}` };
      return (await ask(new URL(start.headers.location ?? '').pathname, headers, 'email=proxied@svc.local&password=x')).status;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push(await guess(i));
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    chosen.idp = proxied;
    expect(await guess(99)).toBe(401);
    const rewritten = await ask(`/idp/auth${url.search}`, { host: 'upstream:8080', 'x-forwarded-host': 'svc.example' });
    expect(rewritten.headers.location).toMatch(/\/interaction\//);
    const addresses = JSON.parse((await ask('/idp/.well-known/openid-configuration', { host: 'upstream:8080', 'x-forwarded-host': 'svc.example' })).body);
    expect(addresses.token_endpoint).toBe('https://svc.example/idp/token');
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('over https no page of a neighbouring host can plant a sign-in: not one to finish for somebody else, nor one to be taken up', async () => {
  const issuer = 'https://svc.example/idp';
  const idp = await createIdp({ db, vault: it.vault, baseUrl: 'https://svc.example', issuer, accountsFile: it.accountsFile });
  const server = createServer((incoming, response) => void idp.handle(incoming, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const ask = (path: string, cookie: string, body?: string) =>
    new Promise<{ status: number; location: string; set: string[] }>((resolve, reject) => {
      const form = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(Buffer.byteLength(body)) };
      const sent = request({ port, path, method: body === undefined ? 'GET' : 'POST', headers: { host: 'svc.example', cookie, ...form } }, (response) => {
        const { location = '', 'set-cookie': set = [] } = response.headers;
        response.resume().once('end', () => resolve({ status: response.statusCode ?? 0, location: location.replace(/^https:\/\/[^/]+/, ''), set }));
      });
      sent.once('error', reject).end(body);
    });
  const header = (set: readonly string[]) => set.map((line) => line.split(';')[0]).join('; ');
  /** All that a page of another host may plant: no browser takes `__Host-` from it. */
  const plantable = (set: readonly string[]) => header(set.filter((line) => !line.startsWith('__Host-')));
  try {
    const { url } = await begin();
    const password = await it.password('ada@svc.local');
    const right = new URLSearchParams({ email: 'ada@svc.local', password }).toString();
    const mallorys = await ask(`/idp/auth${url.search}`, '');
    for (const method of [undefined, right]) expect((await ask(mallorys.location, plantable(mallorys.set), method)).status).toBe(400);

    const own = await ask(`/idp/auth${url.search}`, '');
    expect((await ask(own.location, header(own.set))).status).toBe(200);
    const finished = await ask(own.location, header(own.set), right);
    expect(finished.location).toMatch(/^\/idp\/auth\/[\w-]+$/);
    // Mallory's attempt, which she has finished, is not taken up in another's browser, though that one began
    // one too.
    const adas = await ask(`/idp/auth${url.search}`, '');
    for (const path of [finished.location, adas.location.replace('interaction', 'auth')])
      expect((await ask(path, `${plantable(own.set)}; ${header(adas.set)}`)).status, path).toBe(400);
    const done = await ask(finished.location, header(own.set));
    expect(done.location).toContain('code=');
    const sessions = done.set.filter((line) => line.includes('svc_idp_session'));
    expect(sessions.length).toBeGreaterThan(0);
    for (const line of sessions) expect(line).toMatch(/^__Host-[^;]+; path=\/;(?!.*domain).*secure/i);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('keys and accounts outlive the process; the password file is private and decides', async () => {
  expect((await stat(it.accountsFile)).mode & 0o777).toBe(0o600);
  const options = { db, vault: it.vault, baseUrl: it.baseUrl, issuer: it.idp.issuer, accountsFile: it.accountsFile };
  const again = await createIdp(options);
  expect(again.jwks).toEqual(it.idp.jwks);
  expect(JSON.stringify(again.jwks)).not.toContain('"d"');
  const before = await db('idp_accounts').orderBy('email');
  await rm(it.accountsFile);
  await ensureLocalAccounts(db, it.accountsFile);
  const after = await db('idp_accounts').orderBy('email');
  expect(after.map((row) => row.account_id)).toEqual(before.map((row) => row.account_id));
  expect(after[0]?.password_hash).not.toBe(before[0]?.password_hash);
  await writeFile(it.accountsFile, '{}');
  await expect(ensureLocalAccounts(db, it.accountsFile)).rejects.toThrow('is damaged');
});

test('what has expired goes; a used code or refresh token stays a day longer, so that its second use is noticed', async () => {
  await db('oidc_payload').delete();
  const row = (kind: string, hours: number) => ({ kind, id: kind + hours, payload: '{}', expires_at: new Date(Date.now() - hours * 3_600_000) });
  await db('oidc_payload').insert([
    row('Interaction', 1),
    row('Session', -1),
    row('RefreshToken', 1),
    row('RefreshToken', 25),
    row('AuthorizationCode', 1),
    { ...row('SigningKeys', 0), expires_at: null },
  ]);
  expect(await removeExpired(db)).toBe(2);
  expect((await db('oidc_payload').orderBy('id').pluck('id')).sort()).toEqual(['AuthorizationCode1', 'RefreshToken1', 'Session-1', 'SigningKeys0']);
});

test('the table holds no token, code or session id', async () => {
  const { refresh_token: token = '' } = await it.tokens('ben@svc.local');
  const stored = JSON.stringify(await db('oidc_payload').select('*'));
  expect(stored).not.toContain(token);
  expect(stored).not.toContain('"jti"');
});

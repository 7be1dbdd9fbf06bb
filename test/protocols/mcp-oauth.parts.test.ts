// A client that knows only a private agent's address signs in through the browser: the official MCP client's
// own flow, its person on the pages.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { decodeJwt } from 'jose';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Browser, type Page } from '#drivers/idp/test-browser.ts';
import { localFetch } from '../support/local-fetch.ts';
import { RememberedSignIn } from './oauth-client.ts';
import { startPrivateAgents, type PrivateAgents } from './private-agents.ts';
import { freePort } from '../support/free-port.ts';

const SUITE = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const ADA = 'ada@svc.local';
const BACK = 'http://127.0.0.1:41873/callback';
let world: PrivateAgents;
let first: PrivateAgents['agents'][number];
let second: PrivateAgents['agents'][number];

beforeAll(async () => {
  world = await startPrivateAgents();
  const [a, b] = world.agents;
  if (!a || !b) throw new Error('two agents were started');
  [first, second] = [a, b];
});
afterAll(() => world.close());
afterEach(() => world.describe({}));

function transport(signIn: RememberedSignIn, url = first.mcp): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), { authProvider: signIn, fetch: localFetch });
}

function newClient(): Client {
  return new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
}

/** What the client wants opened, once it has found out where to sign in. */
async function whereTo(signIn: RememberedSignIn, url?: string): Promise<URL> {
  await expect(newClient().connect(transport(signIn, url))).rejects.toThrow(UnauthorizedError);
  if (!signIn.opened) throw new Error('the client opened no page');
  return signIn.opened;
}

/** Signs in where that is asked for; the page after it. */
async function throughSignIn(browser: Browser, url: URL, email = ADA): Promise<Page> {
  const page = await browser.get(url);
  return /type="password"/.test(page.body) ? browser.post(page, { email, password: await world.api.password(email) }) : page;
}

async function signedIn(signIn: RememberedSignIn, { email = ADA, url = first.mcp, browser = new Browser() } = {}): Promise<string> {
  const page = await throughSignIn(browser, await whereTo(signIn, url), email);
  const { left } = await browser.post(page, { allow: 'yes' });
  if (!left) throw new Error('the page led nowhere');
  await transport(signIn, url).finishAuth(left.searchParams);
  return signIn.tokens()?.access_token ?? '';
}

async function call(address: string, token: string, body: unknown = { jsonrpc: '2.0', id: 1, method: 'ping' }): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return localFetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function json(address: string): Promise<unknown> {
  const response = await localFetch(address);
  expect([response.status, response.headers.get('access-control-allow-origin')], address).toEqual([200, '*']);
  return response.json();
}

test('a refusal says where to look, and each look leads on: agent, issuer, endpoints', async () => {
  const refused = await localFetch(first.mcp, { method: 'POST', body: '{}' });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer resource_metadata="${first.origin}/.well-known/oauth-protected-resource/mcp", scope="mcp:invoke"`,
  ]);
  const issuer = `${world.api.baseUrl}/idp`;
  const shared = { authorization_servers: [issuer], bearer_methods_supported: ['header'] };
  const agent = { ...shared, scopes_supported: ['mcp:invoke'], resource_name: first.name };
  expect(await json(`${first.origin}/.well-known/oauth-protected-resource/mcp`)).toEqual({ ...agent, resource: first.mcp });
  expect(await json(`${first.origin}/.well-known/oauth-protected-resource`)).toEqual({ ...agent, resource: first.origin });
  expect(await json(`${world.api.baseUrl}/.well-known/oauth-protected-resource`)).toMatchObject({ ...shared, resource: world.api.baseUrl });
  const platform = await fetch(`${world.api.baseUrl}/v1/me`);
  expect(platform.headers.get('www-authenticate')).toContain(`resource_metadata="${world.api.baseUrl}/.well-known/oauth-protected-resource"`);
  for (const at of ['/.well-known/oauth-authorization-server/idp', '/.well-known/openid-configuration/idp', '/idp/.well-known/openid-configuration']) {
    expect(await (await fetch(world.api.baseUrl + at)).json(), at).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      registration_endpoint: `${issuer}/reg`,
      authorization_response_iss_parameter_supported: true,
    });
  }
  const unknown = await localFetch(`http://nobody.${new URL(world.api.baseUrl).host}/.well-known/oauth-protected-resource`);
  // The answer does not reveal whether the agent exists.
  expect(unknown.status).toBe(200);
});

test('the client finds the sign-in, the person allows it by name, the call is theirs, and the agent never sees the token', async () => {
  const signIn = new RememberedSignIn({ document: world.clients.https }, BACK);
  const browser = new Browser();
  const asked = await throughSignIn(browser, await whereTo(signIn));
  for (const word of ['Clipboard', new URL(world.clients.https).host, first.name, ADA, 'a program on this computer']) expect(asked.body).toContain(word);
  expect(asked.body).not.toContain('<script');
  expect(asked.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  const { left } = await browser.post(asked, { allow: 'yes' });
  expect(left?.searchParams.get('iss')).toBe(`${world.api.baseUrl}/idp`);
  await transport(signIn).finishAuth(left?.searchParams ?? new URLSearchParams());
  const tokens = signIn.tokens();
  expect(decodeJwt(tokens?.access_token ?? '')).toMatchObject({ aud: first.mcp, scope: 'mcp:invoke', client_id: world.clients.https });
  expect(tokens?.refresh_token).toBeDefined();

  const client = newClient();
  await client.connect(transport(signIn));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['add']);
  expect((await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).structuredContent).toEqual({ sum: 3 });
  await client.close();
  expect(world.heard.at(-1)).toMatchObject({ agent: first.name, as: `${ADA} by agent_session` });
  expect(JSON.stringify(world.heard)).not.toContain(tokens?.access_token);

  // The token is over: the client gets another on its own.
  signIn.saveTokens({ ...tokens, access_token: `${tokens?.access_token}x`, token_type: 'Bearer' });
  const later = newClient();
  await later.connect(transport(signIn));
  expect((await later.callTool({ name: 'add', arguments: { a: 2, b: 2 } })).structuredContent).toEqual({ sum: 4 });
  await later.close();
  expect(signIn.tokens()?.refresh_token).not.toBe(tokens?.refresh_token);
});

describe.each(['', '/'])('a client that knows the address alone, written as /mcp%s', (slash) => {
  test('registers itself and signs in; the person reads that it chose its name', async () => {
    const url = first.mcp + slash;
    const signIn = new RememberedSignIn({ registers: 'Walker (svc.local)' }, BACK);
    const browser = new Browser();
    const asked = await throughSignIn(browser, await whereTo(signIn, url));
    for (const word of ['a program that calls itself “Walker (svc.local)”', 'nobody has checked its name', first.name, ADA])
      expect(decoded(asked.body)).toContain(word);
    const { left } = await browser.post(asked, { allow: 'yes' });
    await transport(signIn, url).finishAuth(left?.searchParams ?? new URLSearchParams());
    const { access_token: token = '', refresh_token } = signIn.tokens() ?? {};
    expect(decodeJwt(token)).toMatchObject({ aud: first.mcp, scope: 'mcp:invoke', client_id: expect.stringMatching(/^reg_/) });
    expect(refresh_token).toBeDefined();
    const client = newClient();
    await client.connect(transport(signIn, url));
    expect((await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).structuredContent).toEqual({ sum: 3 });
    await client.close();
    expect(world.heard.at(-1)).toMatchObject({ agent: first.name, as: `${ADA} by agent_session` });
    const list = await world.api
      .db('program_sign_ins')
      .where({ client_id: signIn.clientInformation()?.client_id ?? '' })
      .pluck('client_name');
    expect(list).toEqual(['a program that calls itself “Walker (svc.local)”']);
  });

  test('finds each step by what the one before it answered, in a page of any origin', async () => {
    const url = first.mcp + slash;
    const page = { origin: 'https://page.test' };
    const refused = await localFetch(url, { method: 'POST', body: '{}' });
    const described = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    const resource = z
      .object({ resource: z.string(), authorization_servers: z.array(z.string()), scopes_supported: z.array(z.string()) })
      .parse(await json(described));
    // As RFC 9728 (3.3) has clients check it.
    expect(resource.resource).toBe(url);
    const issuer = new URL(resource.authorization_servers[0] ?? '');
    const server = z
      .object({ issuer: z.string(), registration_endpoint: z.string(), authorization_endpoint: z.string(), token_endpoint: z.string() })
      .parse(await (await fetch(`${issuer.origin}/.well-known/oauth-authorization-server${issuer.pathname}${slash}`)).json());
    expect(server.issuer).toBe(issuer.href);
    const headers = { ...page, 'content-type': 'application/json' };
    const registered = await fetch(server.registration_endpoint, {
      method: 'POST',
      headers,
      body: JSON.stringify({ redirect_uris: [BACK], client_name: 'By hand' }),
    });
    expect([registered.status, registered.headers.get('access-control-allow-origin')]).toEqual([201, '*']);
    const { client_id } = z.object({ client_id: z.string() }).parse(await registered.json());
    const verifier = randomBytes(32).toString('base64url');
    const ask = {
      client_id,
      response_type: 'code',
      redirect_uri: BACK,
      scope: resource.scopes_supported.join(' '),
      resource: resource.resource,
      state: 'here',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    const browser = new Browser();
    const { left } = await browser.post(await throughSignIn(browser, withQuery(new URL(server.authorization_endpoint), ask)), { allow: 'yes' });
    expect(Object.fromEntries(left?.searchParams ?? [])).toMatchObject({ state: 'here', iss: server.issuer });
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: left?.searchParams.get('code') ?? '',
      redirect_uri: BACK,
      code_verifier: verifier,
      client_id,
      resource: resource.resource,
    });
    const got = await fetch(server.token_endpoint, { method: 'POST', headers: page, body });
    expect([got.status, got.headers.get('access-control-allow-origin')]).toEqual([200, page.origin]);
    const { access_token } = z.object({ access_token: z.string() }).parse(await got.json());
    const answer = await call(url, access_token, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"add"')]);
    expect((await call(second.mcp, access_token)).status).toBe(401);
  });
});

test('a client that registered itself gets an answer only where it said, and the person reads where', async () => {
  const signIn = new RememberedSignIn({ registers: 'Bank' }, 'https://evil.test/callback');
  const browser = new Browser();
  const url = await whereTo(signIn);
  expect((await throughSignIn(browser, url)).body).toContain('<strong>evil.test</strong>');
  for (const redirect_uri of [BACK, 'https://evil.test/other', 'https://bank.test/callback'])
    expect(await browser.get(withQuery(url, { redirect_uri })), redirect_uri).toMatchObject({ status: 400, left: undefined });
});

test('a token for one agent opens nothing else: not another agent, not the platform, not what lies beside /mcp', async () => {
  const token = await signedIn(new RememberedSignIn({ document: world.clients.https }, BACK));
  expect((await call(first.mcp, token)).status).toBe(200);
  const stolen = await call(second.mcp, token);
  expect([stolen.status, stolen.headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer error="invalid_token", resource_metadata="${second.origin}/.well-known/oauth-protected-resource/mcp", scope="mcp:invoke"`,
  ]);
  expect((await call(`${first.origin}/invoke/add`, token, { a: 1, b: 1 })).status).toBe(401);
  const me = await fetch(`${world.api.baseUrl}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  expect(me.status).toBe(401);
  expect((await fetch(`${world.api.baseUrl}/idp/me`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
  // It was not made worse by having been tried elsewhere.
  expect((await call(first.mcp, token)).status).toBe(200);
});

test('a token for the whole agent opens its other surfaces too', async () => {
  const signIn = new RememberedSignIn({ clientId: world.clients.http }, BACK);
  await whereTo(signIn);
  const url = withQuery(signIn.opened, { resource: first.origin });
  const browser = new Browser();
  const { left } = await browser.post(await throughSignIn(browser, url), { allow: 'yes' });
  const token = await exchanged(signIn, left, { resource: first.origin });
  expect((await call(`${first.origin}/invoke/add`, token, { a: 1, b: 1 })).status).toBe(200);
  expect((await call(first.mcp, token)).status).toBe(200);
  expect((await call(second.mcp, token)).status).toBe(401);
});

test('signed in is not let in: to whom the agent is not shown, it does not exist', async () => {
  const token = await signedIn(new RememberedSignIn({ document: world.clients.https }, BACK), { email: 'ben@svc.local' });
  expect((await call(first.mcp, token)).status).toBe(404);
});

test('who is refused learns it, and nothing was given', async () => {
  const signIn = new RememberedSignIn({ document: world.clients.https }, BACK);
  const browser = new Browser();
  const asked = await throughSignIn(browser, await whereTo(signIn));
  const { left } = await browser.post(asked, { allow: 'no' });
  expect(Object.fromEntries(left?.searchParams ?? [])).toMatchObject({ error: 'access_denied', state: signIn.state() });
});

describe('what somebody may try with a link', () => {
  test('without a scope, or in a browser that is signed in, the person is asked all the same', async () => {
    world.describe({ redirect_uris: ['https://evil.test/callback'] });
    const document = `${world.clients.http}?evil`;
    const signIn = new RememberedSignIn({ clientId: document }, 'https://evil.test/callback');
    const browser = new Browser();
    // The official client itself asks that the person be asked.
    const url = withQuery(await whereTo(signIn), { prompt: undefined });
    const asked = await throughSignIn(browser, withQuery(url, { scope: undefined }));
    expect(asked.body).toContain('name="allow"');
    expect(asked.body).toContain('evil.test');
    // Nor by a page of another site that sends the form itself.
    const forged = await browser.post(asked, { allow: 'yes' }, { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' });
    expect(forged.left?.searchParams.get('code') ?? undefined).toBeUndefined();
    const silent = await browser.get(withQuery(url, { prompt: 'none' }));
    expect(silent.left?.searchParams.get('error')).toMatch(/_required$/);
    // Once allowed, an address of its own need not ask again for that agent; for another one it must.
    const { left } = await browser.post(await throughSignIn(browser, url), { allow: 'yes' });
    expect(left?.searchParams.get('code')).toBeTruthy();
    expect((await browser.get(url)).left?.searchParams.get('code')).toBeTruthy();
    expect((await browser.get(withQuery(url, { resource: second.mcp }))).body).toContain(second.name);
    // A token that carries no scope calls nothing.
    const bare = await browser.get(withQuery(url, { scope: 'openid' }));
    const token = await exchanged(signIn, bare.left, { resource: first.mcp });
    const denied = await call(first.mcp, token);
    expect([denied.status, denied.headers.get('www-authenticate')]).toEqual([403, expect.stringContaining('error="insufficient_scope"')]);
  });

  test('a program on a port of the machine is asked about each time, on whatever port', async () => {
    const browser = new Browser();
    await signedIn(new RememberedSignIn({ document: world.clients.https }, BACK), { browser });
    const again = new RememberedSignIn({ document: world.clients.https }, 'http://127.0.0.1:50999/callback');
    const asked = await browser.get(await whereTo(again));
    expect(asked.body).toContain('name="allow"');
    const { left } = await browser.post(asked, { allow: 'yes' });
    expect(left?.port).toBe('50999');
  });

  test('no other address, no challenge but S256, no platform, no stranger’s installation, no code for another agent', async () => {
    const signIn = new RememberedSignIn({ clientId: world.clients.http }, BACK);
    const browser = new Browser();
    const url = await whereTo(signIn);
    const tries: [Record<string, string | undefined>, string][] = [
      [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ resource: world.api.baseUrl }, 'invalid_target'],
      [{ resource: undefined }, 'invalid_target'],
      [{ resource: 'https://elsewhere.test/mcp' }, 'invalid_target'],
      [{ resource: `${first.origin}/other` }, 'invalid_target'],
      [{ resource: first.mcp.replace('://', '://user@') }, 'invalid_target'],
    ];
    for (const [change, error] of tries)
      expect((await browser.get(withQuery(url, change))).left?.searchParams.get('error'), JSON.stringify(change)).toBe(error);
    for (const redirect_uri of ['http://127.0.0.1:41873/other', 'https://evil.test/callback', 'http://127.0.0.1.evil.test/callback'])
      expect(await browser.get(withQuery(url, { redirect_uri })), redirect_uri).toMatchObject({ status: 400, left: undefined });
    const { left } = await browser.post(await throughSignIn(browser, url), { allow: 'yes' });
    await expect(exchanged(signIn, left, { resource: second.mcp })).rejects.toThrow('invalid_target');
  });

  test('documents are read where they may be, and must speak of themselves', async () => {
    const begin = async (clientId: string): Promise<{ status: number; left: URL | undefined }> =>
      new Browser().get(
        withQuery(new URL(`${world.api.baseUrl}/idp/auth`), { client_id: clientId, redirect_uri: BACK, response_type: 'code', resource: first.mcp }),
      );
    // Not named by the operator: not even over https, and not where else this machine listens.
    for (const id of [
      world.clients.unlisted,
      'https://127.0.0.1/client.json',
      'https://localhost/client.json',
      'https://169.254.169.254/latest',
      world.api.baseUrl,
    ])
      expect(await begin(id), id).toMatchObject({ status: 400, left: undefined });
    world.describe({ client_id: 'https://somebody.else/client.json' });
    expect(await begin(`${world.clients.http}?other`)).toMatchObject({ status: 400, left: undefined });
    expect(await begin(`${world.clients.https}?other`)).toMatchObject({ status: 400, left: undefined });
    world.describe({ client_secret: 'a secret that is in a public document' });
    expect(await begin(`${world.clients.http}?secret`)).toMatchObject({ status: 400, left: undefined });
    world.describe({ filler: 'x'.repeat(20_000) });
    expect(await begin(`${world.clients.http}?long`)).toMatchObject({ status: 400, left: undefined });
    expect(await begin(`${world.clients.https}?long`)).toMatchObject({ status: 400, left: undefined });
  });
});

test('the official conformance suite, as to the authorization server', async () => {
  const port = await freePort();
  const args = [
    '--url',
    `${world.api.baseUrl}/idp`,
    '--client-id',
    world.clients.https,
    '--resource',
    first.mcp,
    '-p',
    `${port}`,
    '--spec-version',
    '2026-07-28',
  ];
  const suite = spawn(process.execPath, [SUITE, 'authorization', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void suite.kill());
  let report = '';
  for await (const chunk of suite.stdout) {
    report += String(chunk);
    // Its person, once it has printed where to go.
    const url = /^http\S+\/idp\/auth\S+$/m.exec(String(chunk))?.[0];
    if (url === undefined) continue;
    const browser = new Browser(`http://127.0.0.1:${port}/`);
    const { left } = await browser.post(await throughSignIn(browser, withQuery(new URL(url), { scope: 'mcp:invoke' })), { allow: 'yes' });
    await fetch(left ?? '');
  }
  expect(report.replaceAll(/\u001b\[[0-9;]*m/g, '')).toMatch(/Total: 3 passed, 0 failed/);
});

test.skipIf(!existsSync('/usr/bin/chromium'))('in a real browser the pages lead back to the program', async () => {
  const signIn = new RememberedSignIn({ document: world.clients.https }, BACK);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-quic', '--no-first-run'] });
  try {
    const page = await browser.newPage();
    await page.route(`${BACK}**`, (route) => route.fulfill({ body: 'back' }));
    await page.goto((await whereTo(signIn)).href);
    await page.getByLabel('Email').fill(ADA);
    await page.getByLabel('Password').fill(await world.api.password(ADA));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    if (process.env.SVC_SCREENSHOTS) await page.screenshot({ path: `${process.env.SVC_SCREENSHOTS}/consent.png` });
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${BACK}**`);
    await transport(signIn).finishAuth(new URL(page.url()).searchParams);
    expect((await call(first.mcp, signIn.tokens()?.access_token ?? '')).status).toBe(200);
  } finally {
    await browser.close();
  }
});

function decoded(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

function withQuery(url: URL | undefined, query: Record<string, string | undefined>): URL {
  const changed = new URL(url ?? '');
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) changed.searchParams.delete(name);
    else changed.searchParams.set(name, value);
  }
  return changed;
}

/** The code for a token, by hand: the official client would not ask for what it was not given. */
async function exchanged(signIn: RememberedSignIn, left: URL | undefined, more: Record<string, string>): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: left?.searchParams.get('code') ?? '',
    redirect_uri: signIn.redirectUrl,
    code_verifier: signIn.codeVerifier(),
    client_id: signIn.clientInformation()?.client_id ?? '',
    ...more,
  });
  const response = await fetch(`${world.api.baseUrl}/idp/token`, { method: 'POST', body });
  const answer = z.object({ access_token: z.string().optional(), error: z.string().optional() }).parse(await response.json());
  if (answer.access_token === undefined) throw new Error(answer.error ?? 'no token');
  return answer.access_token;
}

// The issuer as its discovery document describes it, walked by openid-client over TLS: what the document says
// is what is done.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as oidc from 'openid-client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { CLI_CLIENT_ID } from '#contract/identity/oauth.ts';
import { endGrant } from '#drivers/idp/adapter.ts';
import { newKey, signingKeysContext } from '#drivers/idp/keys.ts';
import { agentResources } from '#contract/identity/resources.ts';
import { launchBrowser } from '../../support/browser.ts';
import { BACK, type OidcWorld, OUT, startOidcWorld } from './world.ts';

/** Where the command line tool is come back to. */
const HERE = { redirect_uri: 'http://127.0.0.1/callback' };
const ADA = { email: 'ada@svc.local', email_verified: true, name: 'Ada Lovelace' };
let world: OidcWorld;
beforeAll(async () => {
  world = await startOidcWorld();
});
afterAll(() => world.close());

/** Every signature is checked, of what comes over the issuer's own connection too. */
async function configured(clientId: string, metadata: Partial<oidc.ClientMetadata> = {}): Promise<oidc.Configuration> {
  const send: oidc.CustomFetch = (url, init) => world.fetch(url, init as RequestInit);
  return oidc.discovery(new URL(world.issuer), clientId, metadata, oidc.None(), { execute: [oidc.enableNonRepudiationChecks], [oidc.customFetch]: send });
}

async function begin(config: oidc.Configuration, parameters: Record<string, string> = {}) {
  const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: BACK,
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  return { url, checks: { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true } };
}

async function signedIn(config: oidc.Configuration, parameters: Record<string, string> = {}, email = ADA.email) {
  const browser = world.browser();
  const { url, checks } = await begin(config, parameters);
  const tokens = await oidc.authorizationCodeGrant(config, await world.signIn(url, { browser, email }), checks);
  return { tokens, browser, sub: tokens.claims()?.sub ?? '', idToken: tokens.id_token ?? '' };
}

const algorithmOf = (token: string | undefined): string | undefined => decodeProtectedHeader(token ?? '').alg;
const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });
async function userInfo(token: string, init: RequestInit = {}): Promise<{ status: number; body: unknown; challenge: string | null }> {
  const response = await world.fetch(`${world.issuer}/me`, { ...bearer(token), ...init });
  return { status: response.status, body: await response.json(), challenge: response.headers.get('www-authenticate') };
}

const Metadata = z.looseObject({
  id_token_signing_alg_values_supported: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
  response_modes_supported: z.array(z.string()),
  jwks_uri: z.string(),
  token_endpoint: z.string(),
});

describe('what the discovery document says is done', () => {
  const metadata = async () => Metadata.parse(await (await world.fetch(`${world.issuer}/.well-known/openid-configuration`)).json());

  test('each address answers, each algorithm has a key, each way to a token is known; and it says no more than that', async () => {
    const said = await metadata();
    expect(said).toMatchObject({ issuer: world.issuer, end_session_endpoint: `${world.issuer}/session/end`, userinfo_endpoint: `${world.issuer}/me` });
    const addresses = Object.entries(said).filter(([name]) => /_(?:endpoint|uri)$/.test(name));
    expect(addresses.length).toBeGreaterThan(6);
    for (const [name, address] of addresses) {
      const method = /^(?:token|revocation|device)/.test(name) ? 'POST' : 'GET';
      expect((await world.fetch(String(address), { method, redirect: 'manual' })).status, name).not.toBe(404);
    }
    expect(said.id_token_signing_alg_values_supported.toSorted()).toEqual(['EdDSA', 'RS256']);
    const { keys } = z.object({ keys: z.array(z.looseObject({ alg: z.string(), kid: z.string() })) }).parse(await (await world.fetch(said.jwks_uri)).json());
    expect(keys.map(({ alg }) => alg).toSorted()).toEqual(['EdDSA', 'RS256']);
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(2);
    for (const key of keys) for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(key).not.toHaveProperty(secret);
    expect(said.scopes_supported).toEqual(expect.arrayContaining(['openid', 'email', 'profile', 'offline_access']));
    for (const grant_type of said.grant_types_supported) {
      const body = new URLSearchParams({ grant_type, client_id: CLI_CLIENT_ID });
      expect(await (await world.fetch(said.token_endpoint, { method: 'POST', body })).json(), grant_type).not.toMatchObject({ error: 'unsupported_grant_type' });
    }
    // Nothing is sent to clients when a person signs out, nor is a page of theirs opened.
    for (const absent of ['backchannel_logout_supported', 'frontchannel_logout_supported', 'check_session_iframe', 'introspection_endpoint'])
      expect(said).not.toHaveProperty(absent);
  }); // prettier-ignore

  test('each response mode brings the answer to the client; a browser may send the form that does', async () => {
    for (const mode of (await metadata()).response_modes_supported) {
      const { url } = await begin(await configured(world.client()), { response_mode: mode });
      const browser = world.browser();
      const page = await browser.post(await browser.get(url), { email: ADA.email, password: await world.api.password(ADA.email) });
      const done = await browser.post(page, { allow: 'yes' });
      const given = { query: done.left?.searchParams.get('code'), fragment: new URLSearchParams(done.left?.hash.slice(1)).get('code'), form_post: /name="code" value="([^"]+)"/.exec(done.body)?.[1] };
      expect({ mode, code: given[z.enum(['query', 'fragment', 'form_post']).parse(mode)] }).toEqual({ mode, code: expect.stringMatching(/.{20}/) });
      if (mode === 'form_post') expect(done.headers.get('content-security-policy')).toMatch(/form-action 'self' https:\/\/rp\.example[;$]/);
    }
  }); // prettier-ignore
});

describe.each(['RS256', 'EdDSA'])('a program that wants ID tokens in %s', (alg) => {
  test('signs a person in, learns who they are, renews, and signs them out', async () => {
    const config = await configured(world.client({ id_token_signed_response_alg: alg }), { id_token_signed_response_alg: alg });
    const { tokens, browser, sub, idToken } = await signedIn(config);
    expect(algorithmOf(tokens.id_token)).toBe(alg);
    expect(tokens.claims()).toMatchObject({ ...ADA, iss: world.issuer });
    expect(await oidc.fetchUserInfo(config, tokens.access_token, sub)).toEqual({ sub, ...ADA });
    expect(await userInfo(tokens.access_token, { method: 'POST' })).toMatchObject({ status: 200, body: { sub } });

    const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '', { scope: 'openid email profile offline_access' });
    expect(algorithmOf(renewed.id_token)).toBe(alg);
    expect(await oidc.fetchUserInfo(config, renewed.access_token, sub)).toMatchObject(ADA);
    expect((await world.fetch(`${world.api.baseUrl}/v1/me`, bearer(renewed.access_token))).status).toBe(401);

    const out = await browser.get(oidc.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: OUT, state: 'there' }));
    expect(out.body).toContain('Sign out?');
    expect(out.headers.get('content-security-policy')).toMatch(/form-action 'self' https:\/\/rp\.example;/);
    expect((await browser.post(out, { logout: 'yes' })).left?.href).toBe(`${OUT}?state=there`);
    const silent = await browser.get((await begin(config, { prompt: 'none' })).url);
    expect(silent.left?.searchParams.get('error')).toBe('login_required');
    // Who is signed out already is sent on by a form that sends itself.
    const again = await browser.get(oidc.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: OUT }));
    expect(again.headers.get('content-security-policy')).toMatch(/form-action 'self' https:\/\/rp\.example;/);
    expect((await browser.post(again, { logout: 'yes' })).left?.href).toBe(OUT);
    expect(world.api.errors).toEqual([]);
  });
});

test('a program that says nothing of algorithms gets RS256, as OpenID Connect has it; one that wants another is none', async () => {
  const { tokens } = await signedIn(await configured(world.client()));
  expect(algorithmOf(tokens.id_token)).toBe('RS256');
  const other = await configured(world.client({ id_token_signed_response_alg: 'ES256' }));
  expect((await world.browser().get((await begin(other)).url)).status).toBe(400);
});

describe('the userinfo address', () => {
  const cli = (): Promise<oidc.Configuration> => configured(CLI_CLIENT_ID);
  const ours = async (email?: string) => signedIn(await cli(), { ...HERE, scope: 'openid email offline_access mcp:invoke agent:read' }, email);

  test('answers tokens for the platform, while their sign-in holds', async () => {
    const { tokens, sub } = await ours();
    expect([algorithmOf(tokens.id_token), algorithmOf(tokens.access_token)]).toEqual(['EdDSA', 'EdDSA']);
    expect(await oidc.fetchUserInfo(await cli(), tokens.access_token, sub)).toEqual({ sub, ...ADA });
    expect((await world.fetch(`${world.api.baseUrl}/v1/me`, bearer(tokens.access_token))).status).toBe(200);
    await world.api.db('program_sign_ins').where({ subject: sub, client_id: CLI_CLIENT_ID }).update({ ended_at: world.api.db.fn.now() });
    expect(await userInfo(tokens.access_token)).toMatchObject({ status: 401, challenge: expect.stringContaining('error="invalid_token"') });
  });

  test('says no more than the scope of the token, and who is an operator only to the platform', async () => {
    const { tokens, sub } = await ours('operator@svc.local');
    expect((await userInfo(tokens.access_token)).body).toMatchObject({ sub, svc_operator: true });
    const other = await signedIn(await configured(world.client()), {}, 'operator@svc.local');
    for (const claims of [other.tokens.claims(), (await userInfo(other.tokens.access_token)).body]) {
      expect(claims).toMatchObject({ sub, email: 'operator@svc.local' });
      expect(claims).not.toHaveProperty('svc_operator');
    }
    const nameless = await signedIn(await configured(world.client()), { scope: 'openid' });
    expect((await userInfo(nameless.tokens.access_token)).body).toEqual({ sub: nameless.sub });
    const named = await signedIn(await configured(world.client()), { scope: 'openid profile' });
    expect((await userInfo(named.tokens.access_token)).body).toEqual({ sub: named.sub, name: ADA.name });
  });

  test('refuses an ID token, a refresh token, a token for an agent, one that was changed, and none', async () => {
    const { tokens, idToken } = await ours();
    const { all } = agentResources({ baseUrl: world.api.baseUrl, agentsDomain: new URL(world.api.baseUrl).host }, 'scribe');
    const forAgent = await signedIn(await configured(world.client()), { scope: 'openid mcp:invoke', resource: all });
    expect(decodeJwt(forAgent.tokens.access_token)).toMatchObject({ aud: all });
    const changed = `${tokens.access_token.slice(0, -8)}AAAAAAAA`;
    for (const token of [idToken, tokens.refresh_token ?? '', forAgent.tokens.access_token, changed, 'x.y.z', 'nothing'])
      expect(await userInfo(token), token).toMatchObject({ status: 401, challenge: expect.stringContaining('error="invalid_token"') });
    expect((await world.fetch(`${world.issuer}/me`)).status).toBe(401);
  });

  test('of a program that the person has signed out, nothing more is learnt', async () => {
    const id = world.client();
    const { tokens } = await signedIn(await configured(id));
    const row = await world.api.db('program_sign_ins').where({ client_id: id }).first();
    expect(row).toMatchObject({ client_name: 'Reader', resource: `${world.issuer}/me` });
    expect((await userInfo(tokens.access_token)).status).toBe(200);
    await endGrant(world.api.db, row?.grant_hash ?? '');
    expect((await userInfo(tokens.access_token)).status).toBe(401);
  });
});

describe('what a person is asked', () => {
  test('says who asks and what it learns; refused, nothing is given; what was allowed to call an agent is not allowed to learn who they are', async () => {
    const id = world.client();
    const config = await configured(id);
    const browser = world.browser();
    const asked = await browser.post(await browser.get((await begin(config)).url), { email: ADA.email, password: await world.api.password(ADA.email) });
    for (const words of ['Reader', new URL(id).host, 'your name and your email address', ADA.email, 'rp.example']) expect(asked.body).toContain(words);
    expect((await browser.post(asked, { allow: 'no' })).left?.searchParams.get('error')).toBe('access_denied');
    const { all } = agentResources({ baseUrl: world.api.baseUrl, agentsDomain: new URL(world.api.baseUrl).host }, 'scribe');
    await world.signIn((await begin(config, { scope: 'openid mcp:invoke', resource: all })).url, { browser });
    const silent = await browser.get((await begin(config, { prompt: 'none' })).url);
    expect(silent.left?.searchParams.get('error')).toBe('consent_required');
    const both = await browser.get((await begin(config, { scope: 'openid email mcp:invoke', resource: all })).url);
    for (const words of ['<strong>scribe</strong>', 'to learn your name and your email address']) expect(both.body).toContain(words);
    expect((await browser.post(both, { allow: 'yes' })).left?.searchParams.get('code')).toBeTruthy();
  });

  test('without openid it has to name an agent', async () => {
    const { url } = await begin(await configured(world.client()), { scope: 'email' });
    url.searchParams.delete('nonce');
    expect((await world.browser().get(url)).left?.searchParams.get('error')).toBe('invalid_target');
  });
});

describe('signing out', () => {
  const end = (query: Record<string, string>): URL => new URL(`${world.issuer}/session/end?${new URLSearchParams(query)}`);

  test('leads to an address that is registered, character by character, and nowhere else', async () => {
    const native = ['http://127.0.0.1/callback', 'http://127.0.0.1/out'] as const;
    const client_id = world.client({ post_logout_redirect_uris: [OUT, native[1]], redirect_uris: [BACK, native[0]], application_type: 'native' });
    const { idToken } = await signedIn(await configured(client_id));
    const wrong = [`${OUT}/`, `${OUT}?a=1`, OUT.replace('https', 'http'), OUT.toUpperCase(), 'https://rp.example/', BACK, 'https://evil.example/signed-out', `${OUT}#x`, 'http://127.0.0.1:5000/out', 'javascript:alert(1)', '//rp.example/signed-out'];
    const ways: Record<string, string>[] = [{ client_id }, { id_token_hint: idToken }];
    for (const post_logout_redirect_uri of wrong)
      for (const of of ways) {
        const page = await world.browser().get(end({ ...of, post_logout_redirect_uri }));
        expect([page.status, page.left, page.body.includes('not registered')], post_logout_redirect_uri).toEqual([400, undefined, true]);
      }
    for (const post_logout_redirect_uri of [OUT, native[1]]) {
      const browser = world.browser();
      const page = await browser.get(end({ client_id, post_logout_redirect_uri, state: 'a b&c' }));
      const { left } = await browser.post(page, { logout: 'yes' });
      expect([`${left?.origin}${left?.pathname}`, left?.searchParams.get('state')]).toEqual([post_logout_redirect_uri, 'a b&c']);
    }
    // Of no client, no address is anybody's.
    const browser = world.browser();
    const page = await browser.post(await browser.get(end({ post_logout_redirect_uri: OUT })), { logout: 'yes' });
    expect([page.status, page.left, page.body.includes('Signed out')]).toEqual([200, undefined, true]);
  }); // prettier-ignore

  test('who stays signed in is sent on all the same, and stays it', async () => {
    const config = await configured(world.client());
    const { idToken, browser } = await signedIn(config);
    const page = await browser.get(end({ id_token_hint: idToken, post_logout_redirect_uri: OUT }));
    expect((await browser.post(page, {})).left?.href).toBe(OUT);
    expect((await browser.get((await begin(config)).url)).body).not.toContain('type="password"');
  });

  test('a hint of another client, or of nobody, signs nobody out', async () => {
    const { idToken } = await signedIn(await configured(world.client()));
    const [head, body] = idToken.split('.');
    const wrong: Record<string, string>[] = [
      { id_token_hint: idToken, client_id: world.client() },
      { id_token_hint: `${head}.${body}.AAAA` },
      { id_token_hint: 'x' },
    ];
    for (const query of wrong) expect(await world.browser().get(end(query))).toMatchObject({ status: 400, left: undefined });
  });

  test('a hint outlives the algorithm that its client had, and the key that signed it', async () => {
    const client = world.plainClient({ id_token_signed_response_alg: 'EdDSA' });
    const [before, own] = [await signedIn(await configured(client.id)), await signedIn(await configured(CLI_CLIENT_ID), { ...HERE, scope: 'openid email' })];
    expect(algorithmOf(before.idToken)).toBe('EdDSA');
    client.describe({});
    await rotate();
    const hinted = async (hint: string): Promise<string | undefined> => {
      const browser = world.browser();
      return (await browser.post(await browser.get(end({ id_token_hint: hint, post_logout_redirect_uri: OUT })), { logout: 'yes' })).left?.href;
    };
    expect(await hinted(before.idToken)).toBe(OUT);
    // New tokens are of the new keys, of both kinds; those from before hold.
    const [after, ownAfter] = [await signedIn(await configured(client.id)), await signedIn(await configured(CLI_CLIENT_ID), { ...HERE, scope: 'openid email' })];
    expect([algorithmOf(after.idToken), algorithmOf(ownAfter.idToken)]).toEqual(['RS256', 'EdDSA']);
    const old = new Set([before, own].map(({ idToken }) => decodeProtectedHeader(idToken).kid));
    for (const { idToken } of [after, ownAfter]) expect(old).not.toContain(decodeProtectedHeader(idToken).kid);
    expect(await hinted(after.idToken)).toBe(OUT);
    for (const { tokens } of [before, own, after, ownAfter]) expect((await userInfo(tokens.access_token)).status).toBe(200);
    expect(await oidc.refreshTokenGrant(await configured(CLI_CLIENT_ID), own.tokens.refresh_token ?? '')).toMatchObject({ access_token: expect.any(String) });
  }); // prettier-ignore
});

test('a real browser is led back by the forms of the sign-out page and of response_mode=form_post', async () => {
  const chromium = await launchBrowser();
  onTestFinished(() => chromium.close());
  const context = await chromium.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  const arrived: string[] = [];
  await page.route('https://rp.example/**', async (route) => {
    if (route.request().isNavigationRequest()) arrived.push(route.request().postData() ?? '');
    await route.fulfill({ body: 'here' });
  });
  const client_id = world.client();
  await page.goto((await begin(await configured(client_id), { response_mode: 'form_post' })).url.href);
  await page.getByLabel('Email').fill(ADA.email);
  await page.getByLabel('Password').fill(await world.api.password(ADA.email));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL(BACK);
  expect(arrived).toEqual([expect.stringContaining('code=')]);
  const out = `${world.issuer}/session/end?${new URLSearchParams({ client_id, post_logout_redirect_uri: OUT })}`;
  await page.goto(out);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(OUT);
  // Nobody is signed in any more: the form sends itself.
  await page.goto(out).catch(() => undefined);
  await expect.poll(() => arrived.length).toBe(3);
});

/** A new key of each kind in front of the others, and a provider that starts with them. */
async function rotate(): Promise<void> {
  const { db, vault } = world.api;
  for (const [id, alg] of [['jwks', 'EdDSA'], ['rs256', 'RS256']] as const) {
    const row = await db('oidc_payload').where({ kind: 'SigningKeys', id }).first('payload');
    const { sealed } = z.object({ sealed: z.string() }).parse(row?.payload);
    const { keys } = z.object({ keys: z.array(z.unknown()) }).parse(JSON.parse(Buffer.from(await vault.open(sealed, signingKeysContext(id))).toString()));
    const next = await vault.seal(Buffer.from(JSON.stringify({ keys: [await newKey(alg), ...keys] })), signingKeysContext(id));
    await db('oidc_payload').where({ kind: 'SigningKeys', id }).update({ payload: JSON.stringify({ sealed: next }) });
  }
  await world.api.restart();
} // prettier-ignore

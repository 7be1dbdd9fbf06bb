// POST /reg as programs use it: what is registered, what is refused, and how long it is kept.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { hash, removeExpired } from './adapter.ts';
import { registeredClients } from './registered-clients.ts';
import { Browser } from './test-browser.ts';
import { startTestIdp, type TestIdp } from './test/idp.ts';

const db = createPool({ connectionString: (await testDatabase()).url, max: 10 });
let it: TestIdp;
beforeAll(async () => {
  it = await startTestIdp(db);
});
beforeEach(() => db('rate_limits').delete());
afterAll(async () => {
  await it.close();
  await db.destroy();
});

const BACK = 'http://127.0.0.1:41873/callback';
const Client = z.looseObject({ client_id: z.string(), redirect_uris: z.array(z.string()) });

function register(body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }): Promise<Response> {
  return fetch(`${it.idp.issuer}/reg`, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}
async function registered(body: object): Promise<string> {
  const response = await register(body);
  expect(response.status).toBe(201);
  return Client.parse(await response.json()).client_id;
}
const rows = () => db('oidc_payload').where({ kind: 'Client' });

test('the issuer says where; a program gets an id, no secret, and nothing but the flow with a code', async () => {
  const metadata = await (await fetch(`${it.baseUrl}/.well-known/oauth-authorization-server/idp/`)).json();
  expect(metadata).toMatchObject({ issuer: it.idp.issuer, registration_endpoint: `${it.idp.issuer}/reg` });
  const response = await register({
    redirect_uris: [BACK, 'cursor://anysphere.cursor-retrieval/oauth/callback'],
    client_name: '  My\u202E editor\n',
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['implicit', 'client_credentials'],
    scope: 'openid agent:read',
    jwks_uri: 'https://127.0.0.1/jwks',
    logo_uri: 'https://evil.test/logo.png',
    client_secret: 'mine',
    client_id: 'svc-cli',
  });
  expect([response.status, response.headers.get('access-control-allow-origin'), response.headers.get('cache-control')]).toEqual([201, '*', 'no-store']);
  expect(await response.json()).toEqual({
    client_id: expect.stringMatching(/^reg_[\w-]{32}$/),
    client_id_issued_at: expect.any(Number),
    client_name: 'My editor',
    redirect_uris: [BACK, 'cursor://anysphere.cursor-retrieval/oauth/callback'],
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  });
});

test.each<[string, unknown, string]>([
  ['no object', '[]', 'invalid_client_metadata'],
  ['no JSON', '{', 'invalid_client_metadata'],
  ['more than a client needs', { redirect_uris: [BACK], filler: 'x'.repeat(20_000) }, 'invalid_client_metadata'],
  ['nowhere to go', { redirect_uris: [] }, 'invalid_client_metadata'],
  ['many places', { redirect_uris: Array.from({ length: 11 }, () => BACK) }, 'invalid_client_metadata'],
  ['tokens without a code', { redirect_uris: [BACK], response_types: ['token'] }, 'invalid_client_metadata'],
  ['plain http elsewhere', { redirect_uris: ['http://evil.test/callback'] }, 'invalid_redirect_uri'],
  ['a host that looks like this machine', { redirect_uris: ['http://127.0.0.1.evil.test/'] }, 'invalid_redirect_uri'],
  ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  ['a fragment', { redirect_uris: ['https://tools.test/#x'] }, 'invalid_redirect_uri'],
  ['a password', { redirect_uris: ['https://a:b@tools.test/'] }, 'invalid_redirect_uri'],
  ['half a character', { redirect_uris: ['https://tools.test/\ud83d'] }, 'invalid_redirect_uri'],
  ['a null character', { redirect_uris: ['https://tools.test/\0'] }, 'invalid_redirect_uri'],
  ['one that the provider refuses', { redirect_uris: [BACK, 'https://localhost/callback'] }, 'invalid_client_metadata'],
])('%s is refused, and nothing is kept of it', async (_what, body, error) => {
  const before = await rows();
  const response = await register(body);
  expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 400, body: { error } });
  expect(await rows()).toEqual(before);
  expect(it.errors).toEqual([]);
});

test('a form is refused, GET is not allowed, and a page may ask before it sends', async () => {
  expect((await register('redirect_uris=x', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(400);
  expect((await fetch(`${it.idp.issuer}/reg`)).status).toBe(405);
  const asked = await fetch(`${it.idp.issuer}/reg`, { method: 'OPTIONS', headers: { origin: 'https://page.test' } });
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
});

test('one address registers no more than some within its time', async () => {
  const statuses = new Set<number>();
  for (let n = 0; n < 31; n += 1) statuses.add((await register({ redirect_uris: [BACK] })).status);
  expect([...statuses]).toEqual([201, 429]);
  const refused = await register({ redirect_uris: [BACK] });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('who never signs in is forgotten; who got a token is kept longer', async () => {
  const clients = registeredClients(db);
  const [unused, used] = [await registered({ redirect_uris: [BACK] }), await registered({ redirect_uris: [BACK] })];
  await clients.used(used);
  const expiry = async (id: string) =>
    (
      await rows()
        .where({ id: hash(id) })
        .first('expires_at')
    )?.expires_at?.getTime() ?? 0;
  expect((await expiry(used)) - (await expiry(unused))).toBeGreaterThan(60 * 86_400_000);
  await db('oidc_payload')
    .update({ expires_at: db.raw("expires_at - interval '8 days'") })
    .where({ kind: 'Client' });
  expect([await clients.find(unused), await clients.find(used)]).toEqual([undefined, expect.objectContaining({ client_id: used })]);
  const page = await new Browser().get(new URL(`${it.idp.issuer}/auth?client_id=${unused}&response_type=code&redirect_uri=${encodeURIComponent(BACK)}`));
  expect(page).toMatchObject({ status: 400, left: undefined });
  await removeExpired(db);
  expect(await rows().pluck('id')).toEqual([hash(used)]);
});

test('a flood of registrations pushes out what nobody used, and nothing else', async () => {
  await rows().delete();
  const clients = registeredClients(db);
  const used = await registered({ redirect_uris: [BACK] });
  await clients.used(used);
  const old = await registered({ redirect_uris: [BACK] });
  const many = Array.from({ length: 5_000 }, (_, n) => ({
    kind: 'Client',
    id: `flood-${n}`,
    payload: JSON.stringify({ client_id: `flood-${n}`, redirect_uris: [] }),
    expires_at: db.raw("now() + interval '8 days'"),
  }));
  await db.batchInsert('oidc_payload', many, 1_000);
  // The one that is just made is the first of the next to go: it ends sooner than those of the flood.
  await db('oidc_payload').where({ kind: 'Client', id: 'flood-0' }).delete();
  const made = await registered({ redirect_uris: [BACK] });
  expect(await clients.find(old)).toBeUndefined();
  expect([await clients.find(used), await clients.find(made)]).toEqual([expect.anything(), expect.anything()]);
  expect(await rows().whereNull('consumed_at')).toHaveLength(5_000);
});

test('ids that are none of ours are not looked for', async () => {
  const clients = registeredClients(db);
  for (const id of ['svc-cli', 'reg_short', `reg_${'x'.repeat(31)}'`]) expect(await clients.find(id), id).toBeUndefined();
});

// Integration links: ready addresses and one token, in a header or in the query, for one agent.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_INTEGRATION_LINKS } from '#contract/identity/integration-links.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let name: string;
beforeAll(async () => {
  world = await createWorld({ serving: true });
  name = world.records['name'] ?? '';
});
afterAll(() => world.close());

type Body = Parameters<ReturnType<World['as']>['agents']['createIntegrationLink']>[0]['body'];
const agents = () => world.as('ada').agents;
const make = (body?: Body) => agents().createIntegrationLink({ params: { name }, body });
const days = (link: { created_at: string; expires_at: string }): number => Math.round((Date.parse(link.expires_at) - Date.parse(link.created_at)) / 86_400_000);

/** The address with its query leads to the server under test. */
const here = (url: string): string => url.replace(world.ctx.config.baseUrl, world.url);
const invokeUrl = () => `${world.url}/v1/agents/${name}/api/invoke/greet`;

async function call(url: string, token?: string): Promise<{ status: number; body: unknown; headers: Headers }> {
  const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const response = await fetch(url, { method: 'POST', headers, body: '{"name":"Bo"}' });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

verifies('agents.createIntegrationLink', 'without a body its addresses work as they are, for 30 days; it is stored hashed', async () => {
  const link = await make();
  expect(link).toMatchObject({ token_placement: 'url_query', scopes: null, last_used_at: null, token: expect.stringMatching(/^svc_[\w-]{43}$/) });
  expect(days(link)).toBe(30);
  expect(await call(here(link.sample_invoke_url ?? ''))).toMatchObject({ status: 200, body: 'Hello Bo' });
  expect(await call(`${invokeUrl()}?integration_token=${link.token}`)).toMatchObject({ status: 200, body: 'Hello Bo' });
  expect(await call(invokeUrl(), link.token)).toMatchObject({ status: 200 });
  expect(JSON.stringify([await world.ctx.db('platform_tokens'), await world.ctx.db('audit_log')])).not.toContain(link.token);
});

test('one for headers holds 90 days, and its token is in none of its addresses', async () => {
  const link = await make({ token_placement: 'header' });
  expect(days(link)).toBe(90);
  expect(link.sample_invoke_url).toBe(`${link.invoke_base_url}/greet`);
  for (const url of [link.openapi_url, link.invoke_base_url, link.sample_invoke_url, link.mcp_url]) expect(url).not.toContain(link.token);
  expect(link.curl_example).toContain(`-H 'authorization: Bearer ${link.token}'`);
  expect(await call(here(link.sample_invoke_url ?? ''), link.token)).toMatchObject({ status: 200, body: 'Hello Bo' });
  expect((await fetch(here(link.openapi_url), { headers: { authorization: `Bearer ${link.token}` } })).status).toBe(200);
});

test('one for headers is no credential in an address, anywhere', async () => {
  const { token } = await make({ token_placement: 'header' });
  for (const path of ['api/invoke/greet', 'openapi.json', 'api/openapi.json']) {
    const response = await fetch(`${world.url}/v1/agents/${name}/${path}?integration_token=${token}`, { method: path.endsWith('json') ? 'GET' : 'POST' });
    expect([response.status, await response.json()], path).toMatchObject([401, { detail: { code: 'token_invalid' } }]);
  }
});

test('one for addresses holds 30 days, at most 365; its addresses work as they are, and nothing keeps them', async () => {
  const link = await make({ token_placement: 'url_query', label: 'builder' });
  expect(days(link)).toBe(30);
  expect(days(await make({ token_placement: 'url_query', expires_in_days: 365 }))).toBe(365);
  await expect(make({ expires_in_days: 366 })).rejects.toMatchObject({ status: 422 });
  expect(link.invoke_base_url).not.toContain(link.token);
  for (const url of [link.openapi_url, link.sample_invoke_url ?? '', link.mcp_url]) expect(url.endsWith(`?integration_token=${link.token}`), url).toBe(true);
  expect(link.curl_example).not.toContain('authorization');
  const called = await call(here(link.sample_invoke_url ?? ''));
  expect(called).toMatchObject({ status: 200, body: 'Hello Bo' });
  const document = await fetch(here(link.openapi_url));
  expect(document.status).toBe(200);
  const unknown = await fetch(`${world.url}/v1/nothing?integration_token=${link.token}`);
  const refused = await call(`${invokeUrl()}?integration%5Ftoken=${link.token}x`);
  expect([unknown.status, refused.status]).toEqual([404, 401]);
  for (const { headers } of [called, document, unknown, refused])
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
  expect(await call(invokeUrl(), link.token)).toMatchObject({ status: 200 });
  await expect.poll(() => world.logs.join('')).toContain('integration%5Ftoken=[redacted]');
  expect(world.logs.join('')).not.toContain(link.token);
});

test('in an address tokens of agents count alone, and open nothing but calls', async () => {
  for (const who of ['ada', 'platform'] as const) expect((await call(`${invokeUrl()}?integration_token=${world.tokens[who]}`)).status, who).toBe(401);
  const { token } = await make({ token_placement: 'url_query' });
  for (const path of ['/v1/me', `/v1/agents/${name}`, `/v1/agents/${name}/integration-links`])
    expect((await fetch(`${world.url}${path}?integration_token=${token}`)).status, path).toBe(401);
});

verifies('agents.integrationLinks', 'shows open links with their last use, without tokens, apart from API tokens', async () => {
  const { token, curl_example: _, security_notice: __, ...shown } = await make({ token_placement: 'header', scopes: ['greet', 'greet'], label: 'listed' });
  const find = async () => (await agents().integrationLinks({ params: { name } })).find(({ link_id }) => link_id === shown.link_id);
  expect(await find()).toEqual({ ...shown, scopes: ['greet'] });
  expect((await agents().apiTokens({ params: { name } })).map(({ token_id }) => token_id)).not.toContain(shown.link_id);
  await call(invokeUrl(), token);
  await expect.poll(async () => (await find())?.last_used_at).toEqual(expect.any(String));
  await expect(world.as('ben').agents.integrationLinks({ params: { name } })).rejects.toMatchObject({ status: 404 });
});

verifies('agents.revokeIntegrationLink', 'ends it with the next call, only by its owner; a token is no link', async () => {
  const { token, link_id } = await make();
  await expect(world.as('ben').agents.revokeIntegrationLink({ params: { name, link_id } })).rejects.toMatchObject({ status: 404 });
  await expect(agents().revokeApiToken({ params: { name, token_id: link_id } })).rejects.toMatchObject({ code: 'token_not_found' });
  const other = await agents().createApiToken({ params: { name }, body: { label: 'x' } });
  await expect(agents().revokeIntegrationLink({ params: { name, link_id: other.token_id } })).rejects.toMatchObject({ code: 'link_not_found' });
  await agents().revokeIntegrationLink({ params: { name, link_id } });
  expect((await call(invokeUrl(), token)).status).toBe(401);
});

test('an expired one opens nothing; they are counted; they end with their agent', async () => {
  const { token, link_id } = await make({ token_placement: 'url_query' });
  await world.ctx.db('platform_tokens').where({ number: link_id }).update({ expires_at: new Date(Date.now() - 1) }); // prettier-ignore
  expect((await call(`${invokeUrl()}?integration_token=${token}`)).status).toBe(401);
  const { name: many } = await agents().register({ body: { name: `many-${Date.now()}` } });
  const one = () => agents().createIntegrationLink({ params: { name: many }, body: null });
  const made = await Promise.allSettled(Array.from({ length: MAX_INTEGRATION_LINKS + 5 }, one));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_INTEGRATION_LINKS);
  await expect(one()).rejects.toMatchObject({ status: 403, code: 'link_limit' });
  const [first] = await agents().integrationLinks({ params: { name: many } });
  expect(first).toMatchObject({ sample_invoke_url: null });
  await agents().delete({ params: { name: many } });
  expect(
    await world.ctx
      .db('platform_tokens')
      .where({ number: first?.link_id ?? 0 })
      .first('revoked_at'),
  ).toMatchObject({ revoked_at: expect.any(Date) });
});

verifies(['agents.openapi', 'agents.apiOpenapi'], 'one document under two addresses: the API as its server, the skills that a token may call', async () => {
  const get = async (path: string, token: string) =>
    (await (await fetch(`${world.url}/v1/agents/${name}/${path}`, { headers: { authorization: `Bearer ${token}` } })).json()) as {
      servers: { url: string }[];
      paths: Record<string, unknown>;
      security: object[];
    };
  const document = await get('openapi.json', world.tokens.ada);
  expect(await get('api/openapi.json', world.tokens.agent)).toEqual(document);
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: `${world.ctx.config.baseUrl}/v1/agents/${name}/api` }] });
  expect(document.security).toEqual([{ bearer: [] }, { integrationToken: [] }]);
  expect(Object.keys(document.paths)).toContain('/invoke/greet');
  const { token } = await make({ scopes: ['other'] });
  expect((await get('openapi.json', token)).paths).toEqual({});
  const anonymous = await fetch(`${world.url}/v1/agents/${name}/openapi.json`);
  expect([anonymous.status, await anonymous.json()]).toMatchObject([404, { detail: { code: 'agent_not_found' } }]);
  await agents().setVisibility({ params: { name }, body: { visibility: 'public' } });
  expect((await fetch(`${world.url}/v1/agents/${name}/openapi.json`)).status).toBe(200);
  const { name: bare } = await agents().register({ body: { name: `bare-${Date.now()}` } });
  await expect(agents().openapi({ params: { name: bare }, query: {} })).rejects.toMatchObject({ status: 404, code: 'agent_not_described' });
});

// Tokens of one agent: made, listed and revoked by its owner; they call that agent and open nothing else.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_API_TOKENS } from '#contract/identity/agent-api-tokens.ts';
import { callAtHost } from '#test/support/calls.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { LoginError } from '#drivers/idp/port.ts';
import { createAdmit } from '#api/ingress/admit.ts';
import { liveAgent } from '#test/support/runs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let name: string;
beforeAll(async () => {
  world = await createWorld({ serving: true });
  name = world.records['name'] ?? '';
});
afterAll(() => world.close());

const ada = () => world.as('ada').agents;
const make = (over: object = {}) => ada().createApiToken({ params: { name }, body: { label: 'report', ...over } });
async function invoke(token: string, { agent = name, skill = 'greet' } = {}): Promise<{ status: number; code?: string; body: unknown }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${world.url}/v1/agents/${agent}/api/invoke/${skill}`, { method: 'POST', headers, body: '{"name":"Bo"}' });
  const body = (await response.json()) as { detail?: { code: string } };
  return { status: response.status, ...(body.detail && { code: body.detail.code }), body };
}
/** A request at an agent's own address. */
async function atHost(token: string, agent: string, path = '/invoke/greet') {
  const { db, drivers, clock } = world.ctx;
  const accessTokens = { verify: () => Promise.reject(new LoginError('invalid', 'none here')) };
  const admit = createAdmit(
    { config: world.ctx.config, issuer: 'http://localhost/idp' },
    { authenticate: createAuthenticator({ db, vault: drivers.vault, clock, accessTokens }) },
  );
  const route = await resolveRoute(world.ctx, agent);
  const request = { headers: { authorization: `Bearer ${token}` }, headersDistinct: {} };
  return admit({ request, site: { agentName: agent, origin: '' }, route, path, integrationToken: undefined, visitor: undefined });
}

verifies('agents.createApiToken', 'is shown once, is stored hashed, and calls the agent', async () => {
  const made = await make();
  expect(made).toMatchObject({ label: 'report', scopes: null, last_used_at: null, token: expect.stringMatching(/^svc_[\w-]{43}$/) });
  expect(Math.round((Date.parse(made.expires_at) - Date.parse(made.created_at)) / 86_400_000)).toBe(90);
  expect(await invoke(made.token)).toMatchObject({ status: 200, body: 'Hello Bo' });
  const rows = JSON.stringify([await world.ctx.db('platform_tokens'), await world.ctx.db('audit_log')]);
  expect(rows).not.toContain(made.token);
  expect(world.logs.join('')).not.toContain(made.token);
  await expect(make({ expires_in_days: 366 })).rejects.toMatchObject({ status: 422 });
  await expect(make({ scopes: [] })).rejects.toMatchObject({ status: 422 });
});

verifies('agents.apiTokens', 'shows the open ones with their last use, and never the token', async () => {
  const made = await make({ label: 'listed', scopes: ['greet', 'greet'] });
  const { token, ...shown } = made;
  const find = async () => (await ada().apiTokens({ params: { name } })).find(({ token_id }) => token_id === made.token_id);
  expect(await find()).toEqual({ ...shown, scopes: ['greet'] });
  await invoke(token);
  await expect.poll(async () => (await find())?.last_used_at).toEqual(expect.any(String));
  const first = (await find())?.last_used_at;
  await invoke(token);
  expect((await find())?.last_used_at).toBe(first);
  await expect(world.as('ben').agents.apiTokens({ params: { name } })).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
});

verifies('agents.revokeApiToken', 'ends a token with the next call, once, only by its owner', async () => {
  const { token, token_id } = await make();
  const params = { name, token_id };
  await expect(world.as('ben').agents.revokeApiToken({ params })).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
  expect((await invoke(token)).status).toBe(200);
  await ada().revokeApiToken({ params });
  expect(await invoke(token)).toMatchObject({ status: 401, code: 'token_invalid' });
  await expect(atHost(token, name)).rejects.toMatchObject({ code: 'token_invalid' });
  await expect(ada().revokeApiToken({ params })).rejects.toMatchObject({ status: 404, code: 'token_not_found' });
});

test("another agent's token of the same account is not this agent's to revoke", async () => {
  const other = await liveAgent(world.ctx, (await world.ctx.db('agents').where({ name }).first('owner_id'))?.owner_id ?? '');
  const { token_id, token } = await make();
  await expect(ada().revokeApiToken({ params: { name: other.name, token_id } })).rejects.toMatchObject({ status: 404, code: 'token_not_found' });
  expect((await invoke(token)).status).toBe(200);
});

test('it calls no other agent, public or of the same account, by the API or at its address', async () => {
  const owner = (await world.ctx.db('agents').where({ name }).first('owner_id'))?.owner_id ?? '';
  const { token } = await make();
  for (const visibility of ['public', 'unlisted'] as const) {
    const other = await liveAgent(world.ctx, owner, { visibility });
    expect(await invoke(token, { agent: other.name }), visibility).toMatchObject({ status: 404, code: 'agent_not_found' });
    await expect(atHost(token, other.name), visibility).rejects.toMatchObject({ code: 'agent_not_found' });
  }
  expect(await atHost(token, name)).toMatchObject({ actor: { kind: 'api_token' } });
});

test('routes of the account refuse it', async () => {
  const { token } = await make();
  for (const path of ['/v1/me', '/v1/agents', `/v1/agents/${name}`, `/v1/agents/${name}/secrets`, `/v1/agents/${name}/api-tokens`, '/v1/me/files']) {
    const response = await fetch(world.url + path, { headers: { authorization: `Bearer ${token}` } });
    expect([response.status, await response.json()], path).toMatchObject([403, { detail: { code: 'wrong_scope' } }]);
    // In the query it is no credential there.
    const asQuery = await fetch(`${world.url}${path}?integration_token=${token}`);
    expect(asQuery.status, path).toBe(401);
  }
  expect(world.logs.join('')).not.toContain(token);
});

test('an expired one opens nothing and is not listed', async () => {
  const { token, token_id } = await make();
  await world.ctx
    .db('platform_tokens')
    .where({ number: token_id })
    .update({ expires_at: new Date(Date.now() - 1) });
  expect(await invoke(token)).toMatchObject({ status: 401, code: 'token_invalid' });
  expect((await ada().apiTokens({ params: { name } })).map((one) => one.token_id)).not.toContain(token_id);
});

test('scopes name the skills that it may call, by the API, by its address and by its tools', async () => {
  const [greets, others] = [await make({ scopes: ['greet'] }), await make({ scopes: ['other'] })];
  expect((await invoke(greets.token)).status).toBe(200);
  expect(await invoke(others.token)).toMatchObject({ status: 403, code: 'skill_not_allowed' });
  const route = await resolveRoute(world.ctx, name);
  const { actor } = await atHost(others.token, name);
  if (!route) throw new Error('the greeter is not live');
  const call = (face: Parameters<typeof callAtHost>[1]['face'], body: object) =>
    callAtHost(world.ctx, { route, actor, face, body: Buffer.from(JSON.stringify(body)), headers: [], signal: new AbortController().signal });
  await expect(call({ kind: 'skill', skill: 'greet' }, {})).rejects.toMatchObject({ code: 'skill_not_allowed' });
  const tool = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet', arguments: {} } };
  const { id: _, ...notified } = tool;
  for (const body of [tool, [tool], notified, { ...tool, params: { ...tool.params, requestState: 'x' } }])
    await expect(call({ kind: 'tools' }, body), JSON.stringify(body)).rejects.toMatchObject({ code: 'skill_not_allowed' });
});

test('they are counted; they end with their agent', async () => {
  const { name: many } = await ada().register({ body: { name: `many-${Date.now()}` } });
  const one = () => ada().createApiToken({ params: { name: many }, body: { label: 'x' } });
  for (let n = 0; n < MAX_API_TOKENS; n++) await one();
  await expect(one()).rejects.toMatchObject({ status: 400, code: 'token_limit' });
  const [first] = await ada().apiTokens({ params: { name: many } });
  await ada().revokeApiToken({ params: { name: many, token_id: first?.token_id ?? 0 } });
  const { token_id } = await one();
  await ada().delete({ params: { name: many } });
  expect(await world.ctx.db('platform_tokens').where({ number: token_id }).first('revoked_at')).toMatchObject({ revoked_at: expect.any(Date) });
});

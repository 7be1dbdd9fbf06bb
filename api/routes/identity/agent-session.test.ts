// The session at an agent's origin, as the control plane knows it: GET /v1/me and nothing else.
import { afterAll, beforeAll, expect } from 'vitest';
import { agentsView } from '#core/identity/agent-session/agents-view.ts';
import { endAgentSession } from '#core/identity/agent-session/end.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { locate } from '#contract/kit.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, ROUTES, type World } from '#test/api/world.ts';

let world: World;
let agentId: string;
let userId: string;
beforeAll(async () => {
  world = await createWorld();
  const row = await world.ctx
    .db('agents')
    .where({ name: world.records.name ?? '' })
    .first('agent_id', 'owner_id');
  agentId = row?.agent_id ?? '';
  userId = row?.owner_id ?? '';
});
afterAll(() => world.close());

async function session(expiresInMs = 60_000): Promise<{ held: string; given: string }> {
  const held = newPlatformToken();
  const token_id = newId('tok');
  const expires_at = new Date(Date.now() + expiresInMs);
  await world.ctx
    .db('platform_tokens')
    .insert({ token_id, token_hash: hashSecret(held), kind: 'agent_session', user_id: userId, agent_id: agentId, label: 'test', expires_at });
  return { held, given: await agentsView(world.ctx.drivers.vault, token_id) };
}

const me = async (headers: Record<string, string>): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await fetch(`${world.url}/v1/me`, { headers });
  return { status: response.status, body: Object(await response.json()) };
};

verifies('auth.me', "says who is behind an agent origin's session, as bearer and as the cookie svc_session, until it is over", async () => {
  await world.ctx.db('users').where({ user_id: userId }).update({ operator: true });
  const { held, given } = await session();
  for (const headers of [
    { authorization: `Bearer ${given}` },
    { cookie: `svc_session=${given}` },
    { authorization: `Bearer ${held}` },
    { cookie: `a=1; svc_session=${held}` },
  ]) {
    // Whether its visitor is an operator is none of an agent's business.
    expect(await me(headers)).toMatchObject({ status: 200, body: { user_id: userId, operator: false } });
  }
  await world.ctx.db('users').where({ user_id: userId }).update({ operator: false });
  const [claims = '', mac = ''] = given.split('.');
  const forged = [`${claims}x.${mac}`, `${claims}.${mac.slice(0, -2)}AA`, `svc_ses_.${mac}`, (await session(-1)).given, world.tokens.ada, 'junk'];
  for (const cookie of forged) expect((await me({ cookie: `svc_session=${cookie}` })).status, cookie).toBe(401);
  await endAgentSession(world.ctx, { agentId, token: held });
  expect((await me({ cookie: `svc_session=${given}` })).status).toBe(401);
  expect((await me({ authorization: `Bearer ${given}` })).status).toBe(401);
});

verifies('auth.exchangeAgentSession', 'gives a token that no other route takes, whatever scope it asks for', async () => {
  const tokens = Object.entries(await session());
  const closed = ROUTES.filter(({ spec }) => !['none', 'public'].includes(spec.scope) && spec.at !== 'GET /v1/me');
  expect(closed.length).toBeGreaterThan(20);
  for (const { spec } of closed) {
    for (const [kind, token] of tokens) {
      const { method, path } = locate(spec);
      const { status } = await fetch(world.url + path.replace(/\{\w+(:path)?\}/g, 'x'), { method, headers: { authorization: `Bearer ${token}` } });
      expect(status, `${spec.at} with the token as ${kind}`).toBe(403);
    }
  }
  // As a cookie it is not even looked at elsewhere: a page of a sister host could set one.
  const [, given = ''] = tokens[1] ?? [];
  const seen = await fetch(`${world.url}/v1/auth/session`, { headers: { cookie: `svc_session=${given}` } });
  expect(await seen.json()).toMatchObject({ authenticated: false });
});

verifies(
  'platform.verifyAgentSession',
  'resolves the caller behind an agent-origin session cookie, only for that agent, and only for the platform',
  async () => {
    const { held, given } = await session();
    const agent = world.records.name ?? '';
    for (const token of [held, given])
      expect(await world.as('platform').platform.verifyAgentSession({ body: { agent, token } })).toMatchObject({ active: true, user: { user_id: userId } });
    const over = { active: false, user: null, expires_at: null };
    for (const body of [
      { agent: 'another', token: given },
      { agent: 'another', token: held },
      { agent, token: 'svc_x' },
      { agent, token: (await session(-1)).held },
    ])
      expect(await world.as('platform').platform.verifyAgentSession({ body })).toEqual(over);
    await expect(world.as('ada').platform.verifyAgentSession({ body: { agent, token: held } })).rejects.toMatchObject({ status: 403 });
    await endAgentSession(world.ctx, { agentId, token: held });
    expect(await world.as('platform').platform.verifyAgentSession({ body: { agent, token: given } })).toEqual(over);
  },
);

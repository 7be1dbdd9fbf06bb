// Tokens of the platform's services: made by operators, bound to routes, short-lived.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_SERVICE_TOKENS } from '#contract/platform/service-tokens.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let user_id: string;
beforeAll(async () => {
  world = await createWorld();
  user_id = world.records['user_id'] ?? '';
});
afterAll(() => world.close());

const VERIFY = 'POST /v1/platform/agent-session/verify';
const make = (over: object = {}) =>
  world.as('operator').admin.createPlatformToken({ params: { user_id }, body: { service: 'mail-gateway', routes: [VERIFY], ...over } });
async function call(token: string, path: string, init: RequestInit = {}) {
  const response = await fetch(`${world.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } });
  const body = (await response.json()) as { detail?: { code: string } };
  return { status: response.status, ...(body.detail && { code: body.detail.code }) };
}
const verify = (token: string) => call(token, '/v1/platform/agent-session/verify', { method: 'POST', body: JSON.stringify({ agent: 'nobody', token: 'x' }) });

verifies('admin.createPlatformToken', 'opens the named routes alone, is shown once and kept hashed, and is noted', async () => {
  const made = await make({ expires_in_seconds: 60 });
  expect(made).toMatchObject({ user_id, service: 'mail-gateway', routes: [VERIFY], token: expect.stringMatching(/^svc_[\w-]{43}$/) });
  expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(60_000);
  expect((await verify(made.token)).status).toBe(200);
  // Nothing of its account, nothing of operators.
  for (const path of ['/v1/me', '/v1/agents/mine', '/v1/admin/users']) expect(await call(made.token, path), path).toMatchObject({ status: 403 });
  const rows = JSON.stringify([await world.ctx.db('platform_tokens'), await world.ctx.db('audit_log')]);
  expect(rows).not.toContain(made.token);
  expect(world.logs.join('')).not.toContain(made.token);
  const noted = await world.ctx.db('audit_log').where({ action: 'service_token.create', target_id: made.token_id }).first();
  expect(noted?.details).toMatchObject({ user_id, service: 'mail-gateway', routes: [VERIFY] });
});

test('a token whose routes are others is refused; an expired one is unknown; that of a suspended account is out', async () => {
  const { token, token_id } = await make();
  const row = () => world.ctx.db('platform_tokens').where({ token_id });
  await row().update({ routes: ['POST /v1/platform/llm-grant'] });
  expect(await verify(token)).toEqual({ status: 403, code: 'wrong_scope' });
  await row().update({ routes: [VERIFY] });
  expect((await verify(token)).status).toBe(200);
  const limits = { agents: null, schedules: null, concurrent_runs: null, calls_per_minute: null };
  const policy = { suspended: true, may_deploy: true, may_publish: true, may_call_external: true, limits, reason: '' };
  const put = (suspended: boolean, version: number) =>
    world.as('operator').admin.putControlPolicy({ params: { user_id }, body: { ...policy, suspended, version } });
  await put(true, 0);
  expect(await verify(token)).toEqual({ status: 403, code: 'account_suspended' });
  await put(false, 1);
  await row().update({ expires_at: new Date(Date.now() - 1_000) });
  expect(await verify(token)).toEqual({ status: 401, code: 'token_invalid' });
});

test('what is no route of scope platform, no account, or too long is refused', async () => {
  await expect(make({ routes: ['GET /v1/me'] })).rejects.toMatchObject({ status: 422 });
  await expect(make({ expires_in_seconds: 86_401 })).rejects.toMatchObject({ status: 422 });
  await expect(make({ service: 'Not A Name' })).rejects.toMatchObject({ status: 422 });
  const nobody = world.as('operator').admin.createPlatformToken({ params: { user_id: 'usr_none' }, body: { service: 'a', routes: [VERIFY] } });
  await expect(nobody).rejects.toMatchObject({ status: 404, code: 'user_not_found' });
  await expect(world.as('ada').admin.createPlatformToken({ params: { user_id }, body: { service: 'a', routes: [VERIFY] } })).rejects.toMatchObject({
    status: 403,
  });
});

test('of racing requests no more are made than an account may have', async () => {
  const all = await Promise.allSettled(Array.from({ length: MAX_SERVICE_TOKENS + 10 }, () => make()));
  expect(all.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(10);
  const open = await world.ctx.db('platform_tokens').where({ user_id, kind: 'platform' }).where('expires_at', '>', new Date());
  expect(open).toHaveLength(MAX_SERVICE_TOKENS);
});

// Runs that go on on their own, as somebody attacks them who has an account, an agent of their own and a
// token that they stole.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_OPEN_RUNS } from '#core/runs/durable/start-by-caller.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { inTx } from '#core/kernel/tx.ts';
import { mintGrant } from '#core/workspace/grant/mint.ts';
import { createWorld, type World } from '../api/world.ts';
import { type LiveAgent, liveAgent, runOf } from '../support/runs.ts';

let world: World;
let ada: string;
let ben: string;
let hostile: LiveAgent;
let callee: LiveAgent;

beforeAll(async () => {
  world = await createWorld();
  const idOf = async (name: string) => (await world.ctx.db('users').where('email', 'like', `${name}-%`).first('user_id'))?.user_id ?? '';
  [ada, ben] = [await idOf('ada'), await idOf('ben')];
  const card = { skills: [{ id: 'work', name: 'work', input_schema: { type: 'object' }, output_schema: {} }] };
  hostile = await liveAgent(world.ctx, ben, { visibility: 'public', card });
  callee = await liveAgent(world.ctx, ada, { visibility: 'public', card });
});
afterAll(() => world.close());

async function post(
  path: string,
  token: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; code?: string; run_id?: string; job_id?: string }> {
  const response = await fetch(world.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const { detail, run_id, job_id }: { detail?: { code: string }; run_id?: string; job_id?: string } = Object(await response.json());
  return { status: response.status, ...(detail && { code: detail.code }), ...(run_id !== undefined && { run_id }), ...(job_id !== undefined && { job_id }) };
}
const runsOf = async (userId: string): Promise<number> => (await world.ctx.db('runs').where({ user_id: userId }).select('run_id')).length;

test('the id of somebody’s grant opens nothing: only its token does', async () => {
  const given = await inTx({ ...world.ctx, actor: { kind: 'user', user_id: ada, email: '', operator: false, via: 'bearer' } }, (ctx) =>
    mintGrant(ctx, { userId: ada, audience: callee.name, allow: ['**'], deny: [], mode: 'read_only', outputsPrefix: null, ttlSeconds: 600 }),
  );
  const { grant_id } = given.grant;
  const before = await runsOf(ben);
  const message = { agent: callee.name, skill: 'work', args: {}, grant_id };
  expect(await post('/v1/me/chat', world.tokens.ben, message, { prefer: 'wait=0' })).toMatchObject({ status: 403, code: 'grant_invalid' });
  expect(await runsOf(ben)).toBe(before);
  // Its owner may name it; and a holder of the token may pass it on.
  expect((await post('/v1/me/chat', world.tokens.ada, message, { prefer: 'wait=0' })).status).toBeLessThan(300);
  expect((await post(`/v1/agents/${callee.name}/api/runs/work/start`, world.tokens.ben, {}, { 'svc-grant': given.token })).status).toBe(202);
  expect((await post(`/v1/agents/${callee.name}/api/runs/work/start`, world.tokens.ben, {}, { 'svc-grant': `${given.token}x` })).status).toBe(403);
});

test('somebody else’s run does not exist: not for another user, the owner of its agent, an operator, or another run', async () => {
  const started = await post(`/v1/agents/${hostile.name}/api/runs/work/start`, world.tokens.ada, { secret: 'of Ada' });
  expect(started.status).toBe(202);
  const path = `/v1/agents/${hostile.name}/api/runs/${started.run_id}`;
  const stolen = await mintRunCredential(world.ctx.drivers.vault, runOf(world.ctx, hostile, ada).actor, Date.now() + 60_000);
  for (const token of [world.tokens.ben, world.tokens.operator, stolen]) {
    for (const accept of ['application/json', 'text/event-stream']) {
      const response = await fetch(world.url + path, { headers: { authorization: `Bearer ${token}`, accept } });
      expect(response.status, accept).toBe(404);
      await response.body?.cancel();
    }
  }
  for (const route of [`/v1/me/jobs/${started.job_id}`, `/v1/me/jobs/${started.job_id}/events`, `/v1/me/jobs/${started.job_id}/events/stream`]) {
    const response = await fetch(world.url + route, { headers: { authorization: `Bearer ${world.tokens.ben}` } });
    expect(response.status, route).toBe(404);
    await response.body?.cancel();
  }
  expect((await post(`/v1/me/jobs/${started.job_id}/cancel`, world.tokens.ben, {})).status).toBe(404);
  expect((await fetch(world.url + path, { headers: { authorization: `Bearer ${world.tokens.ada}` } })).status).toBe(200);
});

test('an idempotency key belongs to its sender: it never returns another sender’s run', async () => {
  const start = (token: string, key = 'the-same-key') => post(`/v1/agents/${callee.name}/api/runs/work/start`, token, {}, { 'idempotency-key': key });
  const stolen = await mintRunCredential(world.ctx.drivers.vault, runOf(world.ctx, hostile, ada).actor, Date.now() + 60_000);
  const [mine, again, theirs, asRun] = [await start(world.tokens.ada), await start(world.tokens.ada), await start(world.tokens.ben), await start(stolen)];
  expect(again.run_id).toBe(mine.run_id);
  expect(new Set([mine.run_id, theirs.run_id, asRun.run_id]).size).toBe(3);
});

test('a hostile agent starts so many runs in its caller’s account and no more', async () => {
  const run = runOf(world.ctx, hostile, ada);
  const token = await mintRunCredential(world.ctx.drivers.vault, run.actor, Date.now() + 600_000);
  const outcomes = await Promise.all(Array.from({ length: MAX_OPEN_RUNS + 20 }, () => post(`/v1/agents/${callee.name}/api/runs/work/start`, token, {})));
  expect(outcomes.filter(({ status }) => status === 202)).toHaveLength(MAX_OPEN_RUNS);
  expect(outcomes.filter(({ status, code }) => status === 409 && code === 'too_many_runs')).toHaveLength(20);
  expect(await world.ctx.db('runs').where({ parent_run_id: run.actor.run_id })).toHaveLength(MAX_OPEN_RUNS);
});

test('a run without a user starts no other run', async () => {
  const token = await mintRunCredential(world.ctx.drivers.vault, runOf(world.ctx, hostile, null).actor, Date.now() + 60_000);
  expect(await post(`/v1/agents/${callee.name}/api/runs/work/start`, token, {})).toMatchObject({ status: 403, code: 'no_user' });
});

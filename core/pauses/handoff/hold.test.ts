import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { beginCall } from '#test/support/calls.ts';
import { resolveRoute } from '../../agents/route/resolve.ts';
import { startCallersRun } from '../../runs/durable/start-by-caller.ts';
import { createThread } from '../../threads/create.ts';
import { followThread } from '../../threads/read.ts';
import type { WaitOutcome } from '../wait/model.ts';
import { recordWaitOutcome } from '../wait/record-outcome.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let own: LiveAgent;
let foreign: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  own = await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public' });
  foreign = await liveAgent(t.ctx, ben.actor.user_id, { visibility: 'public' });
});
afterAll(() => t.close());
const ARGS = { text: 'x'.repeat(5000) };

const inThread = async (handoffs: 'ask_foreign' | 'ask_always' | 'never' = 'ask_foreign'): Promise<TestRun> => {
  const { thread_id } = await createThread(ada, { handoffs });
  return runOf(t.ctx, own, ada.actor.user_id, { thread_id });
};
const call = async (run: TestRun, callee: LiveAgent, inputSha256 = 'a'.repeat(64), skill = 'work'): Promise<string> => {
  const route = await resolveRoute(t.ctx, callee.name);
  if (!route) throw new Error('no route');
  return beginCall(run, { route, actor: run.actor, skill, grant: undefined, input: { inputSha256, args: () => ARGS } }).then(
    () => 'through',
    (error) => (error.code === 'handoff_pending' ? String(error.details.wait_id) : String(error.code)),
  );
};
const recordOutcome = (id: string, outcome: Partial<WaitOutcome> & { decision: string }): Promise<unknown> =>
  // Safe: the rest of the outcome is the same for all.
  recordWaitOutcome(t.ctx, id, { by: ada.actor.user_id, request_id: randomUUID(), ...outcome } as WaitOutcome);

test("a call of another's agent is held, shown with its arguments, and let through once when approved", async () => {
  const run = await inThread();
  const held = await call(run, foreign);
  expect(held).toMatch(/^hof_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(await call(run, foreign)).toBe(held);
  const row = await t.ctx.db('waits').where({ wait_id: held }).first();
  expect(row).toMatchObject({ kind: 'handoff_approval', asked_of: ada.actor.user_id, agent_name: own.name, state: 'pending' });
  expect(row?.request).toMatchObject({ agent: foreign.name, skill: 'work', input_sha256: 'a'.repeat(64), foreign: true, grant_id: null });
  // Whole: what runs is what was shown.
  expect(row?.request).toMatchObject({ preview: JSON.stringify(ARGS, null, 2) });
  await recordOutcome(held, { decision: 'approved' });
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => call(run, foreign)));
  expect(outcomes.filter((outcome) => outcome === 'through')).toHaveLength(1);
  // The others ask anew, all of them the same.
  expect(new Set(outcomes).size).toBe(2);
  expect(outcomes).not.toContain(held);
  const events = followThread(ada, { thread_id: run.actor.thread_id ?? '', after: 0, signal: AbortSignal.timeout(5000) });
  const told = [];
  for await (const event of await events) if (told.push(event) === 3) break;
  expect(told.map(({ kind }) => kind)).toEqual(['wait.opened', 'wait.approved', 'wait.opened']);
  expect(told[0]?.payload).toMatchObject({ wait_id: held, title: `${own.name} wants to call ${foreign.name}.work`, choices: ['approve', 'deny'] });
});

test('other arguments, another skill, another run are other calls', async () => {
  const run = await inThread();
  const held = await call(run, foreign);
  await recordOutcome(held, { decision: 'approved' });
  expect(await call(run, foreign, 'b'.repeat(64))).toMatch(/^hof_/);
  expect(await call(run, foreign, 'a'.repeat(64), 'other')).toMatch(/^hof_/);
  expect(await call(await inThread(), foreign)).toMatch(/^hof_/);
  expect(await call(run, foreign)).toBe('through');
});

test('denied and expired stay so, however often it is tried; one that nobody waited for is asked anew', async () => {
  const run = await inThread();
  await recordOutcome(await call(run, foreign, '1'.repeat(64)), { decision: 'denied', reason: 'no' });
  expect([await call(run, foreign, '1'.repeat(64)), await call(run, foreign, '1'.repeat(64))]).toEqual(['call_denied', 'call_denied']);
  await recordOutcome(await call(run, foreign, '2'.repeat(64)), { decision: 'expired' });
  expect(await call(run, foreign, '2'.repeat(64))).toBe('call_denied');
  const withdrawn = await call(run, foreign, '3'.repeat(64));
  await recordOutcome(withdrawn, { decision: 'cancelled' });
  expect(await call(run, foreign, '3'.repeat(64))).toMatch(/^hof_/);
});

test("one's own agents are called without asking, and all are where the thread says so; outside threads nobody is asked", async () => {
  const another = await liveAgent(t.ctx, ada.actor.user_id);
  expect(await call(await inThread(), another)).toBe('through');
  expect(await call(await inThread('ask_always'), another)).toMatch(/^hof_/);
  expect(await call(await inThread('never'), foreign)).toBe('through');
  expect(await call(runOf(t.ctx, own, ada.actor.user_id), foreign)).toBe('through');
});

test('a run that it starts and leaves is held as well', cites('agents.startRun'), async () => {
  const run = await inThread();
  const start = () => startCallersRun(run, { name: foreign.name, skill_name: 'work', args: {}, key: undefined, grant: undefined });
  const { wait_id } = await start().then(
    () => Promise.reject(new Error('was not held')),
    (error) => error.details,
  );
  await expect(start()).rejects.toMatchObject({ name: 'Conflict', code: 'handoff_pending', details: { wait_id } });
  await recordOutcome(wait_id, { decision: 'approved' });
  expect(await start()).toMatchObject({ agent: foreign.name, state: 'queued' });
});

test('an approval is used by a run that is there: not by one that could not begin, and not again when its start is sent again', async () => {
  const run = await inThread();
  const start = () => startCallersRun(run, { name: foreign.name, skill_name: 'work', args: { n: 1 }, key: 'the-key', grant: undefined });
  const { wait_id } = await start().then(
    () => Promise.reject(new Error('was not held')),
    (error) => error.details,
  );
  await recordOutcome(wait_id, { decision: 'approved' });
  const live = t.ctx.db('agents').where({ agent_id: foreign.id });
  const { live_deploy_id = null } = (await live.clone().first('live_deploy_id')) ?? {};
  await live.clone().update({ live_deploy_id: null });
  await expect(start()).rejects.toMatchObject({ code: 'agent_not_found' });
  await live.clone().update({ live_deploy_id });
  const { run_id } = await start();
  expect(await start()).toMatchObject({ run_id });
});

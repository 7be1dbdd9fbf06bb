// The machine's clock is set an hour forward, or back, while work is under way: what is measured within a
// process goes on as before. What is kept as a moment is judged by the clock as it then is, and comes back
// with it; no count and no lease lasts an hour longer.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ScheduleIn } from '#contract/conversation/schedules.ts';
import { createRateLimits } from '#api/http/rate-limit.ts';
import { createTable } from '#api/ingress/route-cache.ts';
import { reapHost } from '#core/deploys/deployment/reap.ts';
import { IMPORT_NODE } from '#core/agents/agent/imported.ts';
import { probeImports } from '#core/imports/import/probe.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { newId } from '#core/kernel/ids.ts';
import { addOrganization } from '#core/orgs/compliance/test/world.ts';
import { mailInvitations } from '#core/orgs/member/mail.ts';
import { sweepOutbox } from '#core/outbox/dispatch.ts';
import { beginCall } from '#test/support/calls.ts';
import { sweepLostCalls } from '#core/runs/call/lost-calls.ts';
import { createSchedule } from '#core/conversation/schedule/create.ts';
import { engineIdOf } from '#core/conversation/schedule/model.ts';
import { reconcileWorkflows } from '#core/outbox/reconcile.ts';
import { reconcileSchedules } from '#core/conversation/schedule/reconcile.ts';
import { syncSchedules } from '#core/conversation/schedule/sync.ts';
import { exportTraces } from '#core/runs/trace/export.ts';
import { createBudget } from '#host/resources/memory-budget.ts';
import { LastUse } from '#host/resources/last-use.ts';
import { untilIdle } from '#host/sandbox/idle.ts';
import { ActorCache } from '#core/identity/actor-cache.ts';
import { createSession } from '#core/identity/session/create.ts';
import { findSession } from '#core/identity/session/find.ts';
import { endOtherSignIns } from '#core/identity/sign-in/end.ts';
import { inTx } from '#core/kernel/tx.ts';
import { admitCall } from '#core/runs/call/account-limit.ts';
import { watchRun } from '#core/runs/durable/run-clock.ts';
import { advanceEvaluations } from '#core/quality/evaluation/advance.ts';
import { askPerson } from '#core/pauses/wait/ask.ts';
import type { Mail } from '#drivers/mail/port.ts';
import { owners } from '#worker/housekeeping.ts';
import { RemoteFault } from '#drivers/remote-agent/port.ts';
import { guessLimits } from '#drivers/idp/guess-limits.ts';
import { testContext, type TestContext } from '../support/context.ts';
import { limitRuns } from '../support/limit-runs.ts';
import { liveAgent, runOf } from '../support/runs.ts';

const HOUR = 3_600_000;
let t: TestContext;
beforeAll(async () => {
  t = await testContext();
});
afterAll(() => t.close());
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());
const jump = (by: number): void => void vi.setSystemTime(Date.now() + by);

test.each([HOUR, -HOUR])('a run is neither ended as late nor counted as longer or shorter: %i', async (by) => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const stop = vi.fn();
  const clock = watchRun(t.ctx, { runId: 'run_00000000-0000-7000-8000-000000000001', ranMs: 0, maxMs: 1_000, stop });
  jump(by);
  // The clock is looked at every five seconds.
  vi.advanceTimersByTime(6_000);
  const ran = clock.ran();
  clock.end();
  expect(stop).not.toHaveBeenCalled();
  expect(ran).toBeGreaterThanOrEqual(0);
  expect(ran).toBeLessThan(60_000);
});

test('who waits for memory is answered in the time that was given', async () => {
  const budget = createBudget(100, async () => false);
  await budget.take(100, 0);
  const waiting = budget.take(1, 300);
  jump(-HOUR);
  await expect(waiting).rejects.toMatchObject({ code: 'wake_queue_full' });
});

test('a wait for unused processors ends', async () => {
  const waiting = untilIdle(10, 100, new AbortController().signal, () => ({ idle: 0, total: 1 }));
  jump(-HOUR);
  await waiting;
});

/** How many of so many tries are allowed. */
async function allowed(tries: number, take: () => Promise<unknown>): Promise<number> {
  let count = 0;
  for (let n = 0; n < tries; n += 1)
    count += await take().then(
      (refused) => (refused === undefined ? 1 : 0),
      () => 0,
    );
  return count;
}

test.each([HOUR, -HOUR])('a limit of requests locks nobody out for an hour, and lets nobody through for one: %i', async (by) => {
  const limits = createRateLimits(t.ctx.db, { auth: { points: 3, seconds: 60 }, check: { points: 3, seconds: 60 }, code: { points: 3, seconds: 60 }, create: { points: 3, seconds: 60 }, deploy: { points: 3, seconds: 60 } }); // prettier-ignore
  const take = () => limits.take('auth', `someone ${by}`);
  expect(await allowed(6, take)).toBe(3);
  jump(by);
  expect(await allowed(6, take)).toBe(3);
  jump(-by);
  expect(await allowed(6, take)).toBe(3);
});

test.each([HOUR, -HOUR])('nor does one of guesses at a password: %i', async (by) => {
  const limits = guessLimits(t.ctx.db, `jump${by}`, { account: 3, address: 60 });
  const guess = () => limits.begin('203.0.113.1', 'ada@example.test');
  expect(await allowed(5, guess)).toBe(3);
  jump(by);
  expect(await allowed(5, guess)).toBe(3);
});

test.each([HOUR, -HOUR])('nor does the number of calls that an operator allows an account: %i', async (by) => {
  const ada = await t.user('ada');
  await limitRuns(await t.user('ben'), ada, null, 2);
  const call = () => admitCall(t.ctx.db, ada.actor, { ownerId: ada.actor.user_id }, Date.now());
  expect(await allowed(4, call)).toBe(2);
  jump(by);
  expect(await allowed(4, call)).toBe(2);
});

test.each([HOUR, -HOUR])('a token that was checked is believed for as long as before: %i', (by) => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const cache = new ActorCache(60_000);
  const actor = { kind: 'user', user_id: 'usr_ada', email: '', operator: false, via: 'bearer' } as const;
  cache.put('a token', actor, Date.now() + 10 * HOUR);
  jump(by);
  expect(cache.get('a token', Date.now())).toBe(actor);
  vi.advanceTimersByTime(61_000);
  expect(cache.get('a token', Date.now())).toBeUndefined();
});

test.each([HOUR, -HOUR])('what is in use is neither ended as unused nor kept awake: %i', (by) => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const record = { last_used_at: Date.now() - 5_000 };
  const last = new LastUse(record);
  jump(by);
  expect(last.idleMs()).toBe(5_000);
  vi.advanceTimersByTime(10_000);
  expect(last.idleMs()).toBe(15_000);
  last.note();
  expect([last.idleMs(), record.last_used_at]).toEqual([0, Date.now()]);
});

test('work that was taken before the clock was set back is taken up again; what is held now is not', async () => {
  const ada = await t.user('ada');
  const add = async (evaluation_id: string, held_until: number) => {
    const agent = await liveAgent(t.ctx, ada.actor.user_id);
    const of = { agent_id: agent.id, deploy_id: agent.deployId, dataset: 'examples', created_by: ada.actor.user_id, state: 'running' as const };
    await t.ctx.db('evaluations').insert({ ...of, evaluation_id, held_until: new Date(held_until), created_at: new Date() });
  };
  await add('evl_before', Date.now() + HOUR + 120_000);
  await add('evl_held', Date.now() + 120_000);
  await advanceEvaluations(t.ctx);
  const states = await t.ctx.db('evaluations').orderBy('evaluation_id').select('evaluation_id', 'state');
  expect(states).toEqual([
    { evaluation_id: 'evl_before', state: 'succeeded' },
    { evaluation_id: 'evl_held', state: 'running' },
  ]);
});

/** An hour of the database's own clock, which no test can set: what was written while it was ahead. */
const AHEAD = `now() + interval '1 hour'`;

test('a mail that was claimed before the clock was set back is sent; one that is claimed now is not', async () => {
  const sent: string[] = [];
  const mail: Mail = {
    domain: 'example.test',
    hostname: 'mail.example.test',
    selector: 'svc',
    send: async ({ to }) => void sent.push(to),
    verify: () => Promise.reject(new Error('nothing comes in')),
    look: async () => [],
  };
  const ada = await t.user('ada');
  const { id } = await addOrganization(t.ctx.db, ada.actor.user_id);
  const invite = async (name: string, claimed: number) => {
    const at = new Date();
    const about = { member_id: newId('mem'), organization_id: id, email: `${name}@example.test`, role: 'developer' as const, state: 'invited' as const };
    await t.ctx.db('organization_members').insert({ ...about, source: 'person', invitation: 1, created_at: at, updated_at: at, expires_at: new Date(Date.now() + 24 * HOUR), mail_claimed_at: new Date(claimed) }); // prettier-ignore
  };
  await invite('before', Date.now() + HOUR);
  await invite('claimed', Date.now());
  await invite('stale', Date.now() - HOUR);
  await mailInvitations({ ...t.ctx, drivers: { ...t.ctx.drivers, mail } });
  expect(sent.toSorted()).toEqual(['before@example.test', 'stale@example.test']);
});

test('traces that were held before the clock was set back are exported; what another worker holds now is not', async () => {
  const exporter = (endpoint: string) => ({ endpoint, send: async () => undefined });
  const leaseAfter = async (name: string, until: number) => {
    const endpoint = `https://${name}.test/v1/traces`;
    await t.ctx.db('trace_exports').insert({ endpoint, receipt_id: newId('rcp'), ended_at: new Date(), run_id: '', held_until: new Date(until) });
    await exportTraces({ ...t.ctx, drivers: { ...t.ctx.drivers, traceExporter: exporter(endpoint) } });
    return (await t.ctx.db('trace_exports').where({ endpoint }).first('held_until'))?.held_until;
  };
  expect(await leaseAfter('before', Date.now() + HOUR + 60_000)).toBeNull();
  expect(await leaseAfter('now', Date.now() + 60_000)).toEqual(new Date(Date.now() + 60_000));
});

test('a message to the engine that was written, or leased, before the clock was set back is sent; one that is leased now is not', async () => {
  const message = async (name: string, inMs: number) => {
    const at = new Date(Date.now() + inMs);
    const row = { outbox_id: newId('out'), kind: 'signal' as const, workflow_id: name, name, message: '{}', request_id: 'req_1' };
    await t.ctx.db('outbox').insert({ ...row, created_at: at, due_at: at });
  };
  await message('before', HOUR);
  await message('leased', 20_000);
  const signalled: string[] = [];
  const workflows = { ...t.ctx.drivers.workflows, signal: async (id: string) => void signalled.push(id) };
  await sweepOutbox({ db: t.ctx.db, drivers: { workflows } });
  expect(signalled).toEqual(['before']);
});

test('a call whose process was last seen before the clock was set back is ended as lost; one of a process that lives is not', async () => {
  const seen = async (process_id: string, inMs: number) => void (await t.ctx.db('api_processes').insert({ process_id, seen_at: new Date(Date.now() + inMs) }));
  const ada = await t.user('ada');
  const agent = await liveAgent(t.ctx, ada.actor.user_id);
  const route = await resolveRoute(t.ctx, agent.name);
  if (!route) throw new Error('no route');
  const begin = async (process_id: string) => {
    const { call } = await beginCall(ada, {
      route,
      actor: ada.actor,
      skill: 'work',
      grant: undefined,
      input: { inputSha256: 'a'.repeat(64), args: () => ({}) },
    });
    await t.ctx
      .db('open_calls')
      .where({ call_id: call.callId })
      .update({ process_id, began_at: t.ctx.db.raw(AHEAD) });
    return call.callId;
  };
  await seen('gone', HOUR);
  await seen('alive', 0);
  const lost = await begin('gone');
  await begin('alive');
  expect(await sweepLostCalls(t.ctx)).toEqual([lost]);
});

test('a schedule whose writer was lost before the clock was set back is written; what another writes now is not', async () => {
  const ada = await t.user('ada');
  const agent = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills: [{ id: 'work', name: 'work', input_schema: {}, output_schema: {} }] } });
  const target = { kind: 'skill' as const, agent: agent.name, skill: 'work', args: {} };
  const make = async (until: string) => {
    const { schedule_id } = await createSchedule(ada, ScheduleIn.parse({ target, cron: '0 9 * * *', time_zone: 'UTC' }));
    await t.ctx
      .db('schedules')
      .where({ schedule_id })
      .update({ synced_version: 0, sync_until: t.ctx.db.raw(until), sync_error: null });
    return schedule_id;
  };
  await t.ctx.db('schedules').update({ sync_until: t.ctx.db.raw(`now() + interval '30 seconds'`) });
  await make(`now() + interval '30 seconds'`);
  await make(AHEAD);
  expect(await syncSchedules(t.ctx)).toBe(1);
});

test('an imported agent that was asked before the clock was set back is asked again at once; one that is asked now, or in a while, is not', async () => {
  const ada = await t.user('ada');
  const asked: string[] = [];
  const remote = { ...t.ctx.drivers.remote, discover: ({ url }: { url: string }) => (asked.push(url), Promise.reject(new RemoteFault('remote_unreachable', 'It does not answer'))) }; // prettier-ignore
  const add = async (name: string, { probed, next }: { probed: number; next: number }) => {
    const { id } = await liveAgent(t.ctx, ada.actor.user_id);
    const url = `https://${name}.example.test`;
    const about = { agent_id: id, url, endpoint: url, protocol: 'a2a' as const, protocol_version: '1.0', remote: '{}', security: '[]', digest: name };
    await t.ctx.db('agent_imports').insert({ ...about, probed_at: new Date(Date.now() + probed), next_probe_at: new Date(Date.now() + next) });
  };
  const minute = 60_000;
  await add('before', { probed: HOUR - minute, next: HOUR + 14 * minute });
  // Of a silent one the next question may be hours away.
  await add('silent', { probed: HOUR - minute, next: 6 * HOUR });
  await add('claimed', { probed: HOUR - minute, next: 2 * minute });
  await add('later', { probed: -minute, next: 5 * HOUR });
  await add('due', { probed: -15 * minute, next: -minute });
  await probeImports({ ...t.ctx, drivers: { ...t.ctx.drivers, remote } });
  expect(asked.toSorted()).toEqual(['before', 'due', 'silent'].map((name) => `https://${name}.example.test`));
  await probeImports({ ...t.ctx, drivers: { ...t.ctx.drivers, remote } });
  expect(asked).toHaveLength(3);
});

/** The engine has nothing under way. */
const lostEngine = () => {
  const workflows = { ...t.ctx.drivers.workflows, describe: async () => 'absent' as const, brokenSince: async () => [] };
  return { ...t.ctx, drivers: { ...t.ctx.drivers, workflows } };
};

test('a lost workflow that began before the clock was set back is started again; one that begins now is left to its start', async () => {
  const ada = await t.user('ada');
  const agent = await liveAgent(t.ctx, ada.actor.user_id);
  const wait = async (at: string) => {
    const { wait_id } = await askPerson(runOf(t.ctx, agent, ada.actor.user_id), {
      question_id: `qst_${randomUUID()}`,
      prompt: 'Which?',
      timeout_seconds: 3_600,
    });
    const mine = { workflow_id: `wait:${wait_id}` };
    await t.ctx
      .db('outbox')
      .where(mine)
      .update({ sent_at: t.ctx.db.raw(at) });
    await t.ctx
      .db('open_workflows')
      .where(mine)
      .update({ started_at: t.ctx.db.raw(at), looked_at: t.ctx.db.raw(at) });
    return mine.workflow_id;
  };
  await t.ctx.db('open_workflows').delete();
  const before = await wait(AHEAD);
  await wait('now()');
  expect(await reconcileWorkflows(lostEngine(), owners)).toEqual([before]);
});

test('a wait of a run that ended is ended with it, and its person is no longer asked', async () => {
  const ada = await t.user('ada');
  const agent = await liveAgent(t.ctx, ada.actor.user_id);
  const run = runOf(t.ctx, agent, ada.actor.user_id);
  const { wait_id } = await askPerson(run, { question_id: `qst_${randomUUID()}`, prompt: 'Which?', timeout_seconds: 3_600 });
  await t.ctx
    .db('runs')
    .where({ run_id: run.actor.run_id })
    .update({ state: 'succeeded', ended_at: t.ctx.db.raw(AHEAD) });
  await t.ctx.db('outbox').update({ sent_at: t.ctx.db.raw('now()') });
  await t.ctx.db('open_workflows').update({ started_at: t.ctx.db.raw(AHEAD) });
  await reconcileWorkflows(lostEngine(), owners);
  expect(await t.ctx.db('waits').where({ wait_id }).first('state')).toEqual({ state: 'cancelled' });
});

test('a schedule that was deleted before the clock was set back goes from the engine; one that is deleted now is left to its writer', async () => {
  const ada = await t.user('ada');
  const agent = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills: [{ id: 'work', name: 'work', input_schema: {}, output_schema: {} }] } });
  const target = { kind: 'skill' as const, agent: agent.name, skill: 'work', args: {} };
  const deleted = async (at: string) => {
    const { schedule_id } = await createSchedule(ada, ScheduleIn.parse({ target, cron: '0 9 * * *', time_zone: 'UTC' }));
    await t.ctx
      .db('schedules')
      .where({ schedule_id })
      .update({ deleted_at: t.ctx.db.raw(at) });
    return schedule_id;
  };
  const before = await deleted(AHEAD);
  const now = await deleted('now()');
  const removed: string[] = [];
  const schedules = { ...t.ctx.drivers.schedules, list: async () => [before, now].map(engineIdOf), remove: async (id: string) => void removed.push(id) };
  await t.ctx.db('schedules').whereNull('deleted_at').update({ synced_version: 0 });
  expect((await reconcileSchedules({ ...t.ctx, drivers: { ...t.ctx.drivers, schedules } })).orphans).toEqual([before]);
  expect(removed).toEqual([engineIdOf(before)]);
});

test('a machine whose deployment ended before the clock was set back is stopped; what ends now has its time', async () => {
  const ada = await t.user('ada');
  const draining = async (node: string, ended: string) => {
    const { id, deployId } = await liveAgent(t.ctx, ada.actor.user_id);
    await t.ctx
      .db('deployments')
      .where({ deploy_id: deployId })
      .update({ state: 'superseded', ended_at: t.ctx.db.raw(ended) });
    await t.ctx.db('instances').where({ deploy_id: deployId }).delete();
    await t.ctx.db('instances').insert({ instance_id: newId('ins'), deploy_id: deployId, agent_id: id, node, state: 'draining', api_key_sealed: 'x' });
    return deployId;
  };
  const stopped = async () => (await t.ctx.db('instances').where({ state: 'stopped' }).pluck('deploy_id')).toSorted();
  const before = [await draining('host-1', AHEAD), await draining(IMPORT_NODE, AHEAD)];
  await draining('host-1', 'now()');
  await draining(IMPORT_NODE, 'now()');
  const runtime = { ...t.ctx.drivers.runtime, keepOnly: async () => ({ stopped: [], deleted: [] }) };
  await reapHost({ ...t.ctx, drivers: { ...t.ctx.drivers, runtime } }, 'host-1');
  await probeImports(t.ctx);
  expect(await stopped()).toEqual(before.toSorted());
});

test.each([HOUR, -HOUR])('where a name leads is looked up as often as before: %i', async (by) => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  let looked = 0;
  const table = createTable(async () => (looked += 1));
  await table.get('a');
  jump(by);
  await table.get('a');
  expect(looked).toBe(1);
  vi.advanceTimersByTime(31_000);
  await table.get('a');
  expect(looked).toBe(2);
});

test('a person is signed in again when the clock is right again; who signed out meanwhile is not', async () => {
  const ada = await t.user('ada');
  const user_id = ada.actor.user_id;
  const begin = () => inTx(ada, (ctx) => createSession(ctx, { userId: user_id, replaces: undefined, signedIn: true }));
  const { token } = await begin();
  const found = async () => (await findSession(t.ctx.db, token, Date.now())) !== undefined;
  const half = new Date(Date.now() + HOUR / 2);
  await t.ctx.db('web_sessions').where({ user_id }).update({ expires_at: half });
  const seen = [await found()];
  for (const by of [HOUR, -HOUR, -HOUR, HOUR]) {
    jump(by);
    seen.push(await found());
  }
  expect(seen).toEqual([true, false, true, true, true]);
  // As the database sees it while its clock is ahead.
  await t.ctx
    .db('web_sessions')
    .where({ user_id })
    .update({ expires_at: t.ctx.db.raw(`now() - interval '30 minutes'`) });
  await endOtherSignIns(ada);
  await t.ctx.db('web_sessions').where({ user_id }).update({ expires_at: half });
  expect(await found()).toBe(false);
});

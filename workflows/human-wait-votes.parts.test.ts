// A pause that several members of an organization decide, on a real Temporal server: the worker goes away
// between two votes and at the deadline.
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { createWaitActivities } from '#activities/waits.ts';
import { sweepOutbox } from '#core/outbox/dispatch.ts';
import { anew, approvalWorld, type Member, personId, votes, type World } from '#core/pauses/approval/test/world.ts';
import { cancelWait, getWait } from '#core/pauses/wait/ask.ts';
import { reconcileWorkflows } from '#core/outbox/reconcile.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { listenAs, type Machine, type TestRun } from '#test/support/runs.ts';
import { testTemporal } from '#test/support/servers.ts';
import { testWorkflows } from '#test/support/workflows.ts';
import { owners } from '#worker/housekeeping.ts';
import { createWorkers } from '#worker/queues.ts';

let t: TestContext;
let w: World;
let ann: Member;
let bob: Member;
let starter: Member;
let machine: Machine;
let connection: NativeConnection;
let startWorkers: () => Promise<() => Promise<void>>;
let stopWorkers: () => Promise<void>;

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  w = await approvalWorld(t);
  [ann, bob, starter] = [await w.member('admin', 'ann'), await w.member('admin', 'bob'), await w.member('developer', 'starter')];
  machine = await listenAs(t.ctx, w.agent);
  connection = await NativeConnection.connect({ address: temporal.address });
  const activities = { ...createDeployActivities({ ...t.ctx, node: 'local' }), ...createWaitActivities(t.ctx) };
  startWorkers = async () => {
    const workflows = { workflowBundle: await testWorkflows() };
    const workers = await createWorkers({ connection, namespace: temporal.namespace, node: 'local', activities, workflows });
    const running = workers.map((worker) => worker.run());
    return async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
    };
  };
  stopWorkers = await startWorkers();
});
afterAll(async () => {
  await stopWorkers();
  await machine.close();
  await connection.close();
  await t.close();
});

const told = (id: string): unknown[] => machine.told.filter(({ path }) => path === `/scope-grants/${id}`).map(({ body }) => body);
const isTold = (id: string, body: unknown): Promise<void> => vi.waitFor(() => expect(told(id)).toEqual([body]), { timeout: 20_000, interval: 50 });
/** A message that overtook the start of its workflow comes again, as a worker sends it. */
const becomes = (run: TestRun, id: string, what: object): Promise<void> =>
  vi.waitFor(
    async () => {
      await sweepOutbox(t.ctx);
      expect(await getWait(run, { wait_id: id })).toMatchObject(what);
    },
    { timeout: 20_000, interval: 50 },
  );
const isRunning = (id: string): Promise<void> =>
  vi.waitFor(async () => expect(await t.ctx.drivers.workflows.describe(`wait:${id}`)).toBe('running'), { timeout: 15_000 });
const ends = (id: string): Promise<void> =>
  vi.waitFor(
    async () => {
      await sweepOutbox(t.ctx);
      expect(await t.ctx.drivers.workflows.describe(`wait:${id}`)).toBe('completed');
    },
    { timeout: 20_000, interval: 50 },
  );
const eventsOf = async (id: string): Promise<string[]> => {
  const { rows } = await t.ctx.db.raw<{ rows: { action: string }[] }>('select action from audit_log where target_id = ? order by at, audit_id', [id]);
  return rows.map(({ action }) => action);
};
const keep = (id: string, name: string): Promise<void> => recordHistory(t.temporal, `wait:${id}`, name);

test('the second of two approvals hands the grant to the skill, which did not run again', async () => {
  await w.rules({ approvers: { role: 'admin', need: 2 } });
  const { id, run } = await w.asks(starter);
  await votes(ann, id);
  expect(await getWait(run, { wait_id: id })).toMatchObject({ state: 'pending' });
  await votes(bob, id);
  await becomes(run, id, { state: 'approved' });
  await isTold(id, { grant_token: expect.any(String) });
  await ends(id);
  expect(await t.ctx.db('runs').where({ run_id: run.actor.run_id }).first('state', 'attempt')).toMatchObject({ state: 'running', attempt: 1 });
  await keep(id, 'humanWait.voted');
});

test('the worker goes away between two votes: what was voted stays, and another one delivers', async () => {
  await w.rules({ approvers: { role: 'admin', need: 2 } });
  const { id, run } = await w.asks(starter);
  await isRunning(id);
  await votes(ann, id);
  await stopWorkers();
  // Votes need no worker: the wait is decided, and delivered later.
  await votes(bob, id);
  await becomes(run, id, { state: 'approved' });
  expect(told(id)).toEqual([]);
  stopWorkers = await startWorkers();
  await isTold(id, { grant_token: expect.any(String) });
  expect(await t.ctx.db('grants').where({ wait_id: id })).toHaveLength(1);
  await ends(id);
});

test('the worker is away at the deadline: the next one denies, once, and a vote meanwhile is late', async () => {
  await w.rules({ name: 'short', approvers: { role: 'admin', need: 2 }, deadline_seconds: 1 });
  const { id, run } = await w.asks(starter);
  await isRunning(id);
  await votes(ann, id);
  await stopWorkers();
  await vi.waitFor(async () => expect((await t.ctx.db('waits').where({ wait_id: id }).first())?.expires_at.getTime()).toBeLessThan(Date.now()), {
    timeout: 10_000,
  });
  await expect(votes(bob, id)).rejects.toMatchObject({ code: 'wait_resolved' });
  stopWorkers = await startWorkers();
  await becomes(run, id, { state: 'denied' });
  await isTold(id, { denied: { reason: '1 of 2 had approved at the deadline of the rule short' } });
  await ends(id);
  expect((await eventsOf(id)).filter((action) => action === 'wait.denied')).toHaveLength(1);
});

test('without a vote the deadline denies on its own', async () => {
  await w.rules({ name: 'short', deadline_seconds: 1 });
  const { id, run } = await w.asks(starter);
  await becomes(run, id, { state: 'denied' });
  await isTold(id, { denied: { reason: '0 of 2 had approved at the deadline of the rule short' } });
  await keep(id, 'humanWait.voted-late');
});

test('after the first deadline others are asked, and one of them decides', async () => {
  await w.rules({ approvers: { role: 'admin', need: 2 }, deadline_seconds: 1, escalate: { approvers: { people: [personId(bob)] }, deadline_seconds: 600 } });
  const { id, run } = await w.asks(starter);
  await vi.waitFor(async () => expect(await t.ctx.db('waits').where({ wait_id: id }).first()).toMatchObject({ approval_stage: 1, state: 'pending' }), {
    timeout: 20_000,
  });
  await expect(votes(ann, id)).rejects.toMatchObject({ code: 'not_an_approver' });
  await votes(bob, id);
  await becomes(run, id, { state: 'approved' });
  await ends(id);
  await keep(id, 'humanWait.escalated');
});

test('a skill that no longer waits withdraws it, and later votes are refused', async () => {
  await w.rules({ approvers: { role: 'admin', need: 2 } });
  const { id, run } = await w.asks(starter);
  await votes(ann, id);
  await cancelWait(run, { wait_id: id });
  await becomes(run, id, { state: 'cancelled' });
  await expect(votes(bob, id)).rejects.toMatchObject({ code: 'wait_over' });
  await ends(id);
  expect(told(id)).toEqual([]);
});

test('a workflow that was ended by hand leaves no such wait open', async () => {
  await w.rules({ deadline_seconds: 600, escalate: { approvers: { role: 'owner', need: 1 }, deadline_seconds: 60 } });
  const { id, run } = await w.asks(starter);
  await isRunning(id);
  await t.temporal.workflow.getHandle(`wait:${id}`).terminate('by hand');
  // Its deadline passes meanwhile.
  const past = Date.now() - 200_000;
  await t.ctx
    .db('waits')
    .where({ wait_id: id })
    .update({ expires_at: new Date(past) });
  await t.ctx
    .db('open_workflows')
    .where({ workflow_id: `wait:${id}` })
    .update({ message: t.ctx.db.raw(`jsonb_set(message, '{args,0,expires_at}', to_jsonb(?::bigint))`, [past]) });
  // The engine's list may lag.
  await vi.waitFor(async () => expect(await reconcileWorkflows(t.ctx, owners)).toEqual([`wait:${id}`]), { timeout: 20_000, interval: 100 });
  await becomes(run, id, { state: 'denied' });
  expect(await eventsOf(id)).toEqual(['wait.open', 'approval.escalate', 'wait.denied']);
  await expect(votes(anew(ann), id)).rejects.toMatchObject({ code: 'wait_resolved' });
});

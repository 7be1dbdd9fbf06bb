// Lost workflows are noticed, each goes to its owner once, and what is under way is not touched. The engine
// is a table; the rows are real.
import type { Knex } from 'knex';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPool } from '#db/pool.ts';
import type { WorkflowStarter, WorkflowState } from '#drivers/workflows/port.ts';
import { testDatabase } from '#test/support/servers.ts';
import { addUser, testCtx } from '#test/support/verbs.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { type LostWorkflow, type Remedy, startAgain } from '../kernel/lost-workflow.ts';
import { inTx } from '../kernel/tx.ts';
import { onRepairedWorkflow, type RepairedWorkflow } from './lost.ts';
import { signalWorkflow, startWorkflow } from './messages.ts';
import { reconcileWorkflows } from './reconcile.ts';

let db: Knex;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url, max: 20 })));
afterAll(() => db.destroy());

/** What the engine has. */
let engine: Map<string, WorkflowState>;
/** Closed a moment ago. */
let broken: string[];
let started: string[];
let described: string[];
/** What happens while the engine answers. */
let whileAsked: () => Promise<void>;
let signalled: string[];
let asked: LostWorkflow[];
let remedy: Remedy;
let ctx: Ctx;
const repairs: RepairedWorkflow[] = [];
onRepairedWorkflow((repaired) => void repairs.push(repaired));

const workflows: WorkflowStarter = {
  start: async ({ workflowId }) => {
    started.push(workflowId);
    engine.set(workflowId, 'running');
  },
  signal: async (id, name) => void signalled.push(`${id} ${name}`),
  update: async () => undefined,
  cancel: async () => undefined,
  describe: async (id) => {
    described.push(id);
    const state = engine.get(id) ?? 'absent';
    await whileAsked();
    return state;
  },
  brokenSince: async () => broken,
  forget: async () => 0,
  ping: async () => undefined,
  queue: async (name) => Promise.reject(new Error(`nobody asks for ${name}`)),
};
const owners = {
  again: startAgain,
  asked: async (_ctx: Ctx, lost: LostWorkflow) => {
    asked.push(lost);
    return remedy;
  },
  faulty: async () => Promise.reject(new Error('no record')),
};

beforeEach(async () => {
  await db('outbox').delete();
  await db('open_workflows').delete();
  [engine, broken, started, described, signalled, asked, remedy] = [new Map(), [], [], [], [], [], 'ended'];
  repairs.length = 0;
  whileAsked = async () => {};
  ctx = testCtx(db, { actor: { kind: 'platform', service: 'test' }, workflows });
});

/** Begun two minutes ago. */
async function begin(id: string, type: keyof typeof owners, state: WorkflowState): Promise<void> {
  await inTx(ctx, (ctx) => startWorkflow(ctx, { type, workflowId: id, taskQueue: 'control', args: [{ id }], searchAttributes: { SvcKind: 'x', SvcOwner: 'platform' } })); // prettier-ignore
  await expect.poll(async () => (await db('outbox').where({ workflow_id: id }).whereNull('sent_at')).length).toBe(0);
  await db('open_workflows')
    .where({ workflow_id: id })
    .update({ started_at: db.raw(`now() - interval '2 minutes'`) });
  if (state === 'absent') engine.delete(id);
  else engine.set(id, state);
  started = started.filter((one) => one !== id);
}
const open = async (): Promise<string[]> => db('open_workflows').orderBy('workflow_id').pluck('workflow_id');
const look = (): Promise<string[]> => reconcileWorkflows(ctx, owners);
/** Nobody has looked for a while. */
const later = () => db('open_workflows').update({ looked_at: db.raw(`now() - interval '1 minute'`) });

test('what runs is not touched', async () => {
  await begin('w', 'asked', 'running');
  expect(await look()).toEqual([]);
  expect(described).toEqual(['w']);
  expect(await open()).toEqual(['w']);
});

test('what has completed is looked after no more', async () => {
  await begin('w', 'asked', 'completed');
  expect(await look()).toEqual([]);
  expect([await open(), asked, repairs]).toEqual([[], [], []]);
});

test('a workflow that completed while its job is open goes to its owner', async () => {
  const owner_id = await addUser(db);
  await begin('w', 'asked', 'completed');
  await db('jobs').insert({ job_id: 'job_1', kind: 'x', state: 'running', title: 'x', owner_id, workflow_id: 'w' });
  expect(await look()).toEqual(['w']);
  expect(asked).toMatchObject([{ workflow_id: 'w', state: 'completed' }]);
});

test.each(['failed', 'cancelled', 'terminated', 'absent'] as const)('%s: its owner says what becomes of it', async (state) => {
  await begin('w', 'asked', state);
  expect(await look()).toEqual(['w']);
  expect(asked).toEqual([{ workflow_id: 'w', state }]);
  expect(await open()).toEqual([]);
  expect(repairs).toEqual([{ workflow_id: 'w', type: 'asked', state, remedy: 'ended' }]);
});

test('work that had ended is no repair', async () => {
  remedy = 'over';
  await begin('w', 'asked', 'terminated');
  expect(await look()).toEqual([]);
  expect([await open(), repairs]).toEqual([[], []]);
});

test('begun again, it takes its messages after its start', async () => {
  await begin('w', 'again', 'terminated');
  await inTx(ctx, (ctx) => signalWorkflow(ctx, 'w', 'go'));
  await expect.poll(() => signalled).toEqual(['w go']);
  await expect.poll(async () => (await db('outbox').whereNull('sent_at')).length).toBe(0);
  expect(await look()).toEqual(['w']);
  await expect.poll(() => started).toEqual(['w']);
  await expect.poll(() => signalled).toEqual(['w go', 'w go']);
  expect(await db('open_workflows').first()).toMatchObject({ workflow_id: 'w', restarts: 1 });
});

test('one that is lost again and again is started more and more seldom', async () => {
  await begin('w', 'again', 'terminated');
  expect(await look()).toEqual(['w']);
  await expect.poll(() => started).toEqual(['w']);
  await expect.poll(async () => (await db('outbox').whereNull('sent_at')).length).toBe(0);
  engine.set('w', 'terminated');
  broken = ['w'];
  expect(await look()).toEqual([]);
  await db('open_workflows').update({ started_at: db.raw(`now() - interval '70 seconds'`) });
  expect(await look()).toEqual(['w']);
});

test('what broke lately is found at once, however young; what does not exist may be on its way', async () => {
  await begin('broke', 'asked', 'terminated');
  await begin('young', 'asked', 'absent');
  await db('open_workflows').update({ started_at: db.raw('now()') });
  broken = ['broke', 'of somebody else'];
  expect(await look()).toEqual(['broke']);
  expect(await open()).toEqual(['young']);
});

test('one whose start is still to be sent is not lost', async () => {
  await begin('w', 'asked', 'absent');
  await db('outbox').update({ sent_at: null, due_at: db.raw(`now() + interval '30 seconds'`) });
  expect(await look()).toEqual([]);
  expect(await open()).toEqual(['w']);
});

test('an owner that fails keeps no other one from its repair, and is asked again', async () => {
  await begin('w', 'faulty', 'terminated');
  await begin('x', 'asked', 'terminated');
  await expect(look()).rejects.toThrow('no record');
  expect(await open()).toEqual(['w']);
  await later();
  await expect(look()).rejects.toThrow('no record');
});

test('an engine that stops answering is asked no more in this round', async () => {
  for (let n = 1; n <= 30; n += 1) await begin(`w${n}`, 'asked', 'running');
  whileAsked = async () => Promise.reject(new Error('no engine'));
  await expect(look()).rejects.toThrow('no engine');
  expect(described.length).toBeLessThan(10);
});

test('what is started anew while it is looked at is under way, whatever became of the one before', async () => {
  for (const state of ['completed', 'terminated'] as const) {
    await begin('w', 'asked', state);
    whileAsked = () => begin('w', 'asked', 'running');
    expect(await look()).toEqual([]);
    expect([await open(), asked]).toEqual([['w'], []]);
  }
});

test('of several workers one repairs it', async () => {
  await begin('w', 'again', 'terminated');
  broken = ['w'];
  const repaired = await Promise.all([look(), look(), look(), look()]);
  expect(repaired.flat()).toEqual(['w']);
  await expect.poll(() => started).toEqual(['w']);
});

test('an engine that has forgotten a workflow gets the messages to the others again', async () => {
  await begin('kept', 'again', 'running');
  await inTx(ctx, (ctx) => signalWorkflow(ctx, 'kept', 'go'));
  await expect.poll(async () => (await db('outbox').whereNull('sent_at')).length).toBe(0);
  await begin('lost', 'again', 'absent');
  expect(await look()).toEqual(['lost']);
  expect(await db('outbox').where({ kind: 'signal' }).whereNull('sent_at').pluck('workflow_id')).toEqual(['kept']);
});

test('where much has ended, all of it is looked at in one round', async () => {
  await opened(2_100, 'asked');
  for (let n = 11; n <= 2_100; n += 1) engine.set(`w${n}`, 'completed');
  expect((await look()).toSorted()).toEqual(Array.from({ length: 10 }, (_, n) => `w${n + 1}`).toSorted());
  expect(await open()).toEqual([]);
});

test('where thousands are on their way, a round looks at one batch and ends', async () => {
  await opened(2_100, 'again');
  await db.raw(
    `insert into outbox (outbox_id, kind, workflow_id, name, message, request_id, due_at) select 'out_' || workflow_id, 'start', workflow_id, type, message, 'req', now() + interval '1 hour' from open_workflows`,
  );
  expect(await look()).toEqual([]);
  expect(described).toHaveLength(1_000);
});

test('of many lost ones a few are started at the same time', async () => {
  await opened(300, 'again');
  let [now, most] = [0, 0];
  const start: WorkflowStarter['start'] = async (one) => {
    now += 1;
    most = Math.max(most, now);
    await workflows.start(one);
    await nextTick();
    now -= 1;
  };
  ctx = testCtx(db, { actor: { kind: 'platform', service: 'test' }, workflows: { ...workflows, start } });
  expect(await look()).toHaveLength(300);
  expect(started).toHaveLength(300);
  expect(most).toBeLessThanOrEqual(8);
});

/** So many, `w1` and so on, begun an hour ago; the engine has none. */
async function opened(count: number, type: keyof typeof owners): Promise<void> {
  const message = JSON.stringify({ taskQueue: 'control', args: [], searchAttributes: { SvcKind: 'x', SvcOwner: 'platform' } });
  await db.raw(
    `insert into open_workflows (workflow_id, type, message, started_at) select 'w' || n, ?, ?, now() - interval '1 hour' from generate_series(1, ?::int) n`,
    [type, message, count],
  );
}

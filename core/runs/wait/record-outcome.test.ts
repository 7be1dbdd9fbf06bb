import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import { scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { createJob } from '../../jobs/create.ts';
import { WorkflowGone, WorkflowsUnavailable } from '#drivers/workflows/port.ts';
import { inTx } from '../../kernel/tx.ts';
import { answerQuestion } from './card.ts';
import { type HeldWait, holdWait, lookAtWait } from './hold.ts';
import { openWait } from './open.ts';
import { recordWaitOutcome } from './record-outcome.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  agent = await liveAgent(t.ctx, ada.actor.user_id);
});
afterAll(() => t.close());

async function asked(): Promise<{ waitId: string; runId: string }> {
  const run = runOf(t.ctx, agent, ada.actor.user_id);
  const waitId = `qst_${randomUUID()}`;
  await inTx(run, (tx) => openWait(tx, run, { waitId, kind: 'question', prompt: 'Blue?', request: {}, timeoutSeconds: 600 }));
  return { waitId, runId: run.actor.run_id };
}
const answered = (answer: string) => ({ decision: 'answered', answer, by: ada.actor.user_id, request_id: randomUUID() }) as const;

test('whoever is told hears it with the run and its machine, which nobody else can end meanwhile', async () => {
  const { waitId, runId } = await asked();
  const heard: HeldWait[] = [];
  const locked = (): Promise<boolean> =>
    t.ctx.db.raw('select 1 from runs where run_id = ? for update nowait', [runId]).then(
      () => false,
      (error: { code?: string }) => error.code === '55P03',
    );
  await inTx(t.ctx, async (_tx, ctx) => {
    await recordWaitOutcome(ctx, waitId, answered('blue'), (held) => void heard.push(held));
    expect(await locked()).toBe(true);
  });
  expect(await locked()).toBe(false);
  expect(heard).toHaveLength(1);
  expect(heard[0]).toMatchObject({ row: { wait_id: waitId, state: 'pending' }, run: { state: 'waiting' }, instance: { instance_id: agent.instanceId } });
  expect(await lookAtWait(t.ctx.db, waitId)).toMatchObject({ row: { state: 'answered', resolution: { answer: 'blue' } } });
});

test('what another wrote while it waited for the run is what it finds', async () => {
  const { waitId, runId } = await asked();
  const held = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const first = t.ctx.db.transaction(async (tx) => {
    await tx('runs').where({ run_id: runId }).forUpdate().first();
    held.resolve();
    await goOn.promise;
    await tx('runs').where({ run_id: runId }).update({ state: 'running' });
    await tx('waits').where({ wait_id: waitId }).update({ state: 'cancelled', resolved_at: new Date().toISOString() });
  });
  await held.promise;
  let pid = 0;
  const second = t.ctx.db.transaction(async (tx) => {
    pid = (await tx.raw<{ rows: { pid: number }[] }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0;
    return holdWait(tx, waitId);
  });
  await expect.poll(async () => (await t.ctx.db.raw<{ rows: object[] }>('select 1 from pg_locks where pid = ? and not granted', [pid])).rows.length).toBe(1);
  goOn.resolve();
  await first;
  expect(await second).toMatchObject({ row: { state: 'cancelled' }, run: { state: 'running' } });
});

test('a second outcome changes nothing and says nothing of its own', async () => {
  const { waitId } = await asked();
  await recordWaitOutcome(t.ctx, waitId, { decision: 'expired' });
  const states: string[] = [];
  expect(await recordWaitOutcome(t.ctx, waitId, answered('late'), ({ row }) => void states.push(row.state))).toEqual({ tell: true });
  // The expiry is not delivered yet; that it came first is what whoever tells goes by.
  expect(states).toEqual(['expired']);
  expect(await lookAtWait(t.ctx.db, waitId)).toMatchObject({ row: { state: 'expired' } });
});

test('who drives the run hears that it goes on once the skill was told, not before', async () => {
  const { waitId, runId } = await asked();
  await inTx(t.ctx, (tx, ctx) => createJob(tx, ctx, { kind: 'run', title: 'work', ownerId: ada.actor.user_id, workflowId: `run:${runId}` }));
  const told = Promise.withResolvers<void>();
  const signals: string[] = [];
  const workflows = { ...t.ctx.drivers.workflows, signal: async (id: string, name: string) => void signals.push(`${id} ${name}`) };
  await recordWaitOutcome({ ...t.ctx, drivers: { ...t.ctx.drivers, workflows } }, waitId, answered('blue'), () => told.promise);
  const sent = () =>
    t.ctx
      .db('outbox')
      .where({ workflow_id: `run:${runId}`, name: 'woken' })
      .first('sent_at', 'attempts');
  expect(await sent()).toEqual({ sent_at: null, attempts: 0 });
  told.resolve();
  await expect.poll(async () => (await sent())?.sent_at).toEqual(expect.any(Date));
  expect(signals).toEqual([`run:${runId} woken`]);
});

test('a machine begins to wake while the engine still takes the decision; one that cannot be woken changes nothing', async () => {
  const updated = Promise.withResolvers<unknown>();
  const woken: string[] = [];
  const runtime = scriptedRuntime();
  const { workflows } = t.ctx.drivers;
  const ctx = {
    ...ada,
    drivers: {
      ...ada.drivers,
      // The engine takes its time: nothing of its answer is looked at here.
      workflows: { ...workflows, update: () => updated.promise },
      runtime: {
        ...runtime,
        wake: async (id: string) => {
          woken.push(id);
          throw new Error('it will not');
        },
      },
    },
  };
  const { waitId } = await asked();
  const answer = answerQuestion(ctx, { question_id: waitId, answer: 'blue' });
  await expect.poll(() => woken).toEqual([agent.instanceId]);
  updated.resolve(undefined);
  expect(await answer).toMatchObject({ question_id: waitId, state: 'answered' });
});

test('a decision that was taken while the word of it was lost is theirs who made it; whoever else decides comes too late', async () => {
  const { waitId } = await asked();
  const { workflows } = t.ctx.drivers;
  const lost = { ...workflows, update: () => Promise.reject(new WorkflowsUnavailable('the word was lost')) };
  /** The engine took the first of these two; neither heard of it. */
  const taken = {
    ...workflows,
    update: async () => {
      await recordWaitOutcome(t.ctx, waitId, { decision: 'answered', answer: 'blue', by: ada.actor.user_id, request_id: 'req_first' });
      return lost.update();
    },
  };
  const decide = (requestId: string, answer: string, by = lost) =>
    answerQuestion({ ...ada, requestId, drivers: { ...ada.drivers, workflows: by } }, { question_id: waitId, answer });
  await expect(decide('req_first', 'blue')).rejects.toMatchObject({ code: 'wait_not_reached' });
  expect(await decide('req_first', 'blue', taken)).toMatchObject({ question_id: waitId, state: 'answered' });
  expect(await decide('req_first', 'blue')).toMatchObject({ state: 'answered' });
  await expect(decide('req_first', 'red')).rejects.toMatchObject({ code: 'wait_resolved' });
  await expect(decide('req_second', 'blue')).rejects.toMatchObject({ code: 'wait_resolved' });
});

test('a decision that overtakes the start of its workflow waits for it; where there is none it is to be sent again', async () => {
  const { waitId } = await asked();
  let tries = 0;
  const decide = (thereAfter: number) => {
    tries = 0;
    const update = async () => {
      tries += 1;
      if (tries <= thereAfter) throw new WorkflowGone(`wait:${waitId}`);
    };
    const drivers = { ...ada.drivers, workflows: { ...t.ctx.drivers.workflows, update } };
    return answerQuestion({ ...ada, requestId: randomUUID(), drivers }, { question_id: waitId, answer: 'blue' });
  };
  expect(await decide(2)).toMatchObject({ question_id: waitId, state: 'answered' });
  expect(tries).toBe(3);
  await expect(decide(Number.POSITIVE_INFINITY)).rejects.toMatchObject({ code: 'wait_not_reached' });
  await recordWaitOutcome(t.ctx, waitId, { decision: 'expired' });
  await expect(decide(Number.POSITIVE_INFINITY)).rejects.toMatchObject({ code: 'wait_over' });
});

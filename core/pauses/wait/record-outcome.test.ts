import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import { scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { createJob } from '../../jobs/create.ts';
import { inTx } from '../../kernel/tx.ts';
import { answerQuestion } from '../decision/card.ts';
import { lockWait, lookAtWait } from './hold.ts';
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
  await inTx(run, (ctx) => openWait(ctx, { waitId, kind: 'question', prompt: 'Blue?', request: {}, timeoutSeconds: 600 }));
  return { waitId, runId: run.actor.run_id };
}

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
    return lockWait(tx, waitId);
  });
  await expect.poll(async () => (await t.ctx.db.raw<{ rows: object[] }>('select 1 from pg_locks where pid = ? and not granted', [pid])).rows.length).toBe(1);
  goOn.resolve();
  await first;
  expect(await second).toMatchObject({ row: { state: 'cancelled' }, run: { state: 'running' } });
});

test('a second outcome changes nothing, and what came first is delivered', async () => {
  const { waitId } = await asked();
  await recordWaitOutcome(t.ctx, waitId, { decision: 'expired' });
  const answered = { decision: 'answered', answer: 'late', by: ada.actor.user_id, request_id: randomUUID() } as const;
  expect(await recordWaitOutcome(t.ctx, waitId, answered)).toEqual({ tell: true });
  expect(await recordWaitOutcome(t.ctx, waitId, { decision: 'cancelled' })).toEqual({ tell: true });
  expect(await lookAtWait(t.ctx.db, waitId)).toMatchObject({ row: { state: 'expired' } });
});

test('who drives the run, and who delivers, hear of it once the skill was told, not before', async () => {
  const { waitId, runId } = await asked();
  await inTx(t.ctx, (ctx) => createJob(ctx, { kind: 'run', title: 'work', ownerId: ada.actor.user_id, workflowId: `run:${runId}` }));
  const [asking, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const signals: string[] = [];
  const workflows = { ...t.ctx.drivers.workflows, signal: async (id: string, name: string) => void signals.push(`${id} ${name}`) };
  const agentHttp = {
    ...t.ctx.drivers.agentHttp,
    send: async () => {
      asking.resolve();
      await told.promise;
      return { status: 204, headers: {}, body: Readable.from([]) };
    },
  };
  await answerQuestion({ ...ada, drivers: { ...t.ctx.drivers, workflows, agentHttp } }, { question_id: waitId, answer: 'blue' });
  await asking.promise;
  expect(await lookAtWait(t.ctx.db, waitId)).toMatchObject({ row: { state: 'answered', delivered_at: null } });
  const unsent = () => t.ctx.db('outbox').where({ kind: 'signal', sent_at: null }).whereIn('workflow_id', [`run:${runId}`, `wait:${waitId}`]).orderBy('name').pluck('name'); // prettier-ignore
  expect(await unsent()).toEqual(['voted', 'woken']);
  expect(signals).toEqual([]);
  // The start of the wait's workflow was not sent: there is no engine. What is for it waits.
  await t.ctx
    .db('outbox')
    .where({ workflow_id: `wait:${waitId}`, kind: 'start' })
    .update({ sent_at: new Date() });
  told.resolve();
  await expect.poll(() => signals.toSorted(), { timeout: 20_000 }).toEqual([`run:${runId} woken`, `wait:${waitId} voted`]);
  expect((await lookAtWait(t.ctx.db, waitId))?.row.delivered_at).toBeInstanceOf(Date);
});

test('a machine begins to wake while the decision is written; one that cannot be woken changes nothing', async () => {
  const woken: string[] = [];
  const runtime = {
    ...scriptedRuntime(),
    wake: async (id: string) => {
      woken.push(id);
      throw new Error('it will not');
    },
  };
  const { waitId } = await asked();
  const answer = await answerQuestion({ ...ada, drivers: { ...ada.drivers, runtime } }, { question_id: waitId, answer: 'blue' });
  expect(woken).toContain(agent.instanceId);
  expect(answer).toMatchObject({ question_id: waitId, state: 'answered' });
});

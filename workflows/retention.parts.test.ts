// The nightly pass on a real Temporal server, a real database and a real storage.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { createRetentionActivities } from '#activities/retention.ts';
import { appendEvents } from '#core/jobs/append-event.ts';
import { createJob } from '#core/jobs/create.ts';
import { transitionJob } from '#core/jobs/transition.ts';
import { jobEvents } from '#core/jobs/retention/read.ts';
import { inTx } from '#core/kernel/tx.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';

let t: TestContext;
let ada: TestUser;
let startWorker: () => Promise<() => Promise<void>>;
let stopWorker: () => Promise<void>;
/** Set: the storage takes nothing, as when it is full. */
let full = false;

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  ada = await t.user('ada');
  const { storage } = t.ctx.drivers;
  const put: typeof storage.put = async (key, body) => {
    if (!full) return storage.put(key, body);
    body.destroy();
    throw new Error('no space left');
  };
  const deps = { ...t.ctx, drivers: { ...t.ctx.drivers, storage: { ...storage, put } } };
  const activities = {
    ...createDeployActivities({ ...t.ctx, node: 'local' }),
    ...createRetentionActivities(deps, { archiveAfterDays: 30, removeAfterDays: 365 }),
  };
  startWorker = () => startTestWorkers(temporal, activities);
  stopWorker = await startWorker();
});
afterAll(async () => {
  await stopWorker();
  await t.close();
});

const job = async (ended: number): Promise<string> => {
  const job_id = await inTx(ada, (ctx) => createJob(ctx, { kind: 'run', title: 'Run', ownerId: ada.actor.user_id }));
  await appendEvents(t.ctx.db, job_id, [{ kind: 'run.progress', payload: { message: 'one' } }]);
  await transitionJob(t.ctx.db, job_id, { from: ['queued'], to: 'succeeded' });
  await t.ctx
    .db('jobs')
    .where({ job_id })
    .update({ ended_at: new Date(Date.now() - ended * 86_400_000).toISOString() });
  return job_id;
};
const states = async (ids: string[]): Promise<string[]> =>
  Promise.all(ids.map(async (job_id) => (await t.ctx.db('jobs').where({ job_id }).first('events_state'))?.events_state ?? ''));
const soon = { timeout: 30_000, interval: 50 };

test('a night archives, in steps, what is old, and removes what is older still', async () => {
  const old = [];
  for (let n = 0; n < 120; n += 1) old.push(await job(40));
  const [young, ancient] = [await job(1), await job(400)];
  await t.temporal.workflow.start('retention', { taskQueue: 'control', workflowId: 'retention-1' });
  const totals = await t.temporal.workflow.getHandle('retention-1').result();
  expect(totals).toEqual({ archived: 121, removed: 1, failed: 0 });
  expect(new Set(await states(old))).toEqual(new Set(['archived']));
  expect(await states([young, ancient])).toEqual(['kept', 'removed']);
  expect(await jobEvents(t.ctx, old[7] ?? '', 0)).toHaveLength(3);
  await recordHistory(t.temporal, 'retention-1', 'retention.night');
});

test('storage is full, and the worker goes away meanwhile: nothing is lost, and the same night goes on', async () => {
  const ids = [await job(50), await job(50)];
  full = true;
  await t.temporal.workflow.start('retention', { taskQueue: 'control', workflowId: 'retention-2' });
  const attempts = async () => (await t.temporal.workflow.getHandle('retention-2').describe()).raw.pendingActivities?.[0]?.attempt ?? 0;
  await vi.waitFor(async () => expect(await attempts()).toBeGreaterThan(1), soon);
  for (const id of ids) expect(await jobEvents(t.ctx, id, 0)).toHaveLength(3);
  await stopWorker();
  full = false;
  stopWorker = await startWorker();
  expect(await t.temporal.workflow.getHandle('retention-2').result()).toEqual({ archived: 2, removed: 0, failed: 0 });
  for (const id of ids) expect(await jobEvents(t.ctx, id, 0)).toHaveLength(3);
  await recordHistory(t.temporal, 'retention-2', 'retention.storage-full');
});

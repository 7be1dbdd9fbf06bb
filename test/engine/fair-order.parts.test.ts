// Who is next, on a real Temporal server: shares of accounts, what waits in a slot, and what gives its slot
// back and comes again.
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, onTestFinished, test, vi } from 'vitest';
import { endRetries } from '#worker/failures.ts';
import { fairShares } from '#worker/fair-shares.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { testTemporal } from '#test/support/servers.ts';
import { testWorkflows } from '#test/support/workflows.ts';
import { type HeldTrials, heldTrials } from './held-trials.ts';

const within = { timeout: 60_000, interval: 20 };

/** A worker of long work with few slots, and one of workflows, in a namespace of their own. */
async function world(trials: HeldTrials, slots: number, limits: Parameters<typeof fairShares>[0]): Promise<TestContext> {
  const temporal = await testTemporal();
  const t = await testContext({ temporal });
  const connection = await NativeConnection.connect({ address: temporal.address });
  const common = { connection, namespace: temporal.namespace, activities: trials.activities, shutdownGraceTime: '1s' } as const;
  const made = await Promise.all([
    Worker.create({ ...common, taskQueue: 'control', workflowBundle: await testWorkflows() }),
    Worker.create({
      ...common,
      taskQueue: 'long-work',
      maxConcurrentActivityTaskExecutions: slots,
      interceptors: { activity: [fairShares(limits), endRetries()] },
    }),
  ]);
  const running = Promise.all(made.map((worker) => worker.run()));
  onTestFinished(async () => {
    trials.release();
    for (const worker of made) worker.shutdown();
    await running;
    await connection.close();
    await t.close();
  });
  return t;
}

test('the trial that comes after forty of another account begins at once: those beyond their share give their slots back', async () => {
  const trials = heldTrials();
  const t = await world(trials, 12, { atOnce: 3, waiting: 2, againMs: 200 });
  await Promise.all(Array.from({ length: 40 }, () => trials.start(t.ctx, 'usr_many')));
  await vi.waitFor(() => expect(trials.begun('usr_many')).toHaveLength(3), within);
  await trials.start(t.ctx, 'usr_one');
  await vi.waitFor(() => expect(trials.begun('usr_one')).toHaveLength(1), within);
  expect(trials.begun()).toHaveLength(4);
  expect(trials.ended()).toBe(0);
});

test('all of an account have their turn once the ones before end, and waiting for it is no failure', async () => {
  const trials = heldTrials();
  const t = await world(trials, 8, { atOnce: 2, waiting: 1, waitMs: 300, againMs: 20 });
  const ids = await Promise.all(Array.from({ length: 6 }, () => trials.start(t.ctx, 'usr_many')));
  await vi.waitFor(() => expect(trials.begun()).toHaveLength(2), within);
  // More often than the trial's own work may fail.
  const attempts = async (id: string): Promise<number> => (await t.temporal.workflow.getHandle(id).describe()).raw.pendingActivities?.[0]?.attempt ?? 0;
  await vi.waitFor(async () => expect(Math.max(...(await Promise.all(ids.map(attempts))))).toBeGreaterThan(22), within);
  trials.release();
  await Promise.all(ids.map((id) => t.temporal.workflow.getHandle(id).result()));
  expect(trials.ended()).toBe(6);
});

// What counts as an attempt, on a real Temporal server: failures of the work do, workers that stop or die do
// not, and what cannot come right ends at once.
import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { attempts } from '#activities/attempts.ts';
import { longRunning } from '#activities/long-running.ts';
import { Conflict, Unavailable } from '#core/kernel/errors.ts';
import type { Fault } from '#core/kernel/errors.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { testTemporal } from '#test/support/servers.ts';
import { testWorkflows } from '#test/support/workflows.ts';
import { endRetries } from '#worker/failures.ts';

const within = { timeout: 60_000, interval: 50 };
let t: TestContext;
let temporal: Awaited<ReturnType<typeof testTemporal>>;
beforeAll(async () => {
  temporal = await testTemporal();
  t = await testContext({ temporal });
});
afterAll(() => t.close());

interface Reviewer {
  activities: { beginReview(): Promise<boolean>; review(): Promise<void>; endReview(id: string, fault: Fault): Promise<void> };
  /** Attempts at the review that began. */
  tries: { attempt: number; failed: number }[];
  /** How it ended without a verdict. */
  faults: Fault[];
}

/** The activities of a review, which may fail three times. */
function reviewer(work: (attempt: number, signal: AbortSignal) => Promise<void>): Reviewer {
  const tries: Reviewer['tries'] = [];
  const faults: Fault[] = [];
  return {
    tries,
    faults,
    activities: {
      beginReview: async () => true,
      review: () =>
        longRunning(async (signal) => {
          tries.push({ attempt: activityInfo().attempt, failed: attempts().failed });
          await work(tries.length, signal);
        }),
      endReview: async (_id, fault) => void faults.push(fault),
    },
  };
}

/** Workers as the platform's; resolves with what stops them. */
async function workersOf({ activities }: Pick<Reviewer, 'activities'>): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address: temporal.address });
  const common = { connection, namespace: temporal.namespace, activities, interceptors: { activity: [endRetries()] } };
  const made = await Promise.all([
    Worker.create({ ...common, taskQueue: 'control', shutdownGraceTime: '1s', workflowBundle: await testWorkflows() }),
    // No grace: what is under way is cancelled.
    Worker.create({ ...common, taskQueue: 'long-work', shutdownGraceTime: 0, shutdownForceTime: '2s' }),
  ]);
  const running = Promise.all(made.map((worker) => worker.run()));
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    for (const worker of made) worker.shutdown();
    await running;
    await connection.close();
  };
  const once = (): Promise<void> => (stopped ??= stop());
  onTestFinished(once);
  return once;
}

async function review(id: string): Promise<() => Promise<unknown>> {
  const workflowId = `review:${id}`;
  await t.ctx.drivers.workflows.start({
    type: 'reviewAgent',
    workflowId,
    taskQueue: 'control',
    args: [{ review_id: id }],
    searchAttributes: { SvcKind: 'review', SvcOwner: 'usr_1' },
  });
  return () => t.temporal.workflow.getHandle(workflowId).result();
}

test('a review whose worker is stopped five times gets its verdict', async () => {
  const one = reviewer(async (attempt, signal) => {
    if (attempt > 5) return;
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('broken off')), { once: true }));
  });
  let stop = await workersOf(one);
  const ended = await review('stopped');
  for (let restart = 1; restart <= 5; restart += 1) {
    await vi.waitFor(() => expect(one.tries).toHaveLength(restart), within);
    await stop();
    stop = await workersOf(one);
  }
  await ended();
  expect(one.tries.map(({ failed }) => failed)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(one.faults).toEqual([]);
});

test('a review that fails on its own three times has no verdict, and stops in between do not count', async () => {
  const one = reviewer(async (attempt, signal) => {
    if (attempt === 2) await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('broken off')), { once: true }));
    throw new Error(`broke at ${attempt}`);
  });
  const stop = await workersOf(one);
  const ended = await review('broken');
  await vi.waitFor(() => expect(one.tries).toHaveLength(2), within);
  await stop();
  await workersOf(one);
  await ended();
  expect(one.tries.map(({ failed }) => failed)).toEqual([0, 1, 1, 2]);
  expect(one.faults).toMatchObject([{ code: 'review_failed' }]);
});

test.each([
  ['an error of the domain', () => new Conflict('agent_deleted', 'It was deleted'), 1],
  ['an error of the program', () => new TypeError('undefined is not a function'), 1],
  ['a part that is away', () => new Unavailable('payments_down', 'It is away'), 3],
  ['a connection that broke', () => new TypeError('fetch failed', { cause: new Error('ECONNRESET') }), 3],
])('%s', async (name, error, tries) => {
  const one = reviewer(() => Promise.reject(error()));
  await workersOf(one);
  await (
    await review(name)
  )();
  expect(one.tries).toHaveLength(tries);
  expect(one.faults).toMatchObject([{ code: 'review_failed' }]);
});

test('the count of failures outlives an attempt whose worker said nothing more', async () => {
  const one = reviewer(() => Promise.reject(new Error('broke')));
  // The second attempt sends no heartbeat, as when its process was killed.
  const silent = async (): Promise<void> => {
    one.tries.push({ attempt: activityInfo().attempt, failed: attempts().failed });
    await new Promise((_resolve, reject) => cancellationSignal().addEventListener('abort', () => reject(new Error('left')), { once: true }));
  };
  await workersOf({ activities: { ...one.activities, review: () => (one.tries.length === 1 ? silent() : one.activities.review()) } });
  await (
    await review('killed')
  )();
  expect(one.tries.map(({ failed }) => failed)).toEqual([0, 1, 1, 2]);
  expect(one.faults).toMatchObject([{ code: 'review_failed' }]);
});

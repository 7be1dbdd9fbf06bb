// Signals that do not stop: their workflows continue as new, and look at everything that came. And clocks
// that differ: no workflow spins.
import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { testTemporal } from '../support/servers.ts';
import { testWorkflows } from '../support/workflows.ts';

/**
 * A history that has not continued by then never does: it does so at 1,500 events (workflows/pace.ts), and a
 * round of these has seven to ten.
 */
const MOST_ROUNDS = 400;
/** Rounds between looks at the workflow. */
const LOOK_AFTER = 20;
const soon = { timeout: 60_000, interval: 5 };
const HOUR_MS = 3_600_000;

let client: Client;
let stop: () => Promise<void>;
/** What was done for each workflow, by the first argument of its activities. */
const looks = new Map<string, number>();
/** How far this worker's clock is behind the engine's. */
let behindMs = 0;
const taskQueue = 'control';
const look = (id: string): number => {
  looks.set(id, (looks.get(id) ?? 0) + 1);
  return looks.get(id) ?? 0;
};

beforeAll(async () => {
  const temporal = await testTemporal();
  const driver = temporalWorkflows(temporal);
  ({ client } = driver);
  const connection = await NativeConnection.connect({ address: temporal.address });
  const activities = {
    proveDomain: async ({ domain_id, daily }: { domain_id: string; daily: boolean }) => {
      look(domain_id);
      if (daily) look(`${domain_id} of the day`);
      return 'proved';
    },
    certificateStep: async (id: string) => (look(id), HOUR_MS),
    advanceApproval: async (id: string) => (look(id), { state: 'pending', until: Date.now() + (behindMs > 0 ? -behindMs : HOUR_MS), tell: false }),
  };
  const common = { connection, namespace: temporal.namespace, activities };
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue, workflowBundle: await testWorkflows() }),
    Worker.create({ ...common, taskQueue: 'deliveries' }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  stop = async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
    await driver.close();
  };
});
afterAll(() => stop());

const start = (type: string, args: object): Promise<WorkflowHandle> =>
  client.workflow.start(type, { taskQueue, workflowId: `${type}-${randomUUID()}`, args: [args] });
test.each([
  ['verifyDomain', 'domainChanged', (id: string) => ({ domain_id: id })],
  ['renewCertificate', 'domainChanged', (id: string) => ({ domain_id: id })],
  ['humanWait', 'voted', (id: string) => ({ wait_id: id, expires_at: Date.now() + HOUR_MS, votes: true })],
])('%s takes signals for ever, one after the other, with a history that stays short', async (type, signal, inputOf) => {
  const id = randomUUID();
  const handle = await start(type, inputOf(id));
  const first = (await handle.describe()).runId;
  let now = await handle.describe();
  for (let round = 0; round < MOST_ROUNDS && now.runId === first; round += 1) {
    const before = looks.get(id) ?? 0;
    await handle.signal(signal);
    await vi.waitFor(() => expect(looks.get(id) ?? 0).toBeGreaterThan(before), soon);
    if (round % LOOK_AFTER === 0) now = await handle.describe();
  }
  expect(now.status.name).toBe('RUNNING');
  expect(now.runId).not.toBe(first);
  // What continues takes them, too.
  const before = looks.get(id) ?? 0;
  await handle.signal(signal);
  await vi.waitFor(() => expect(looks.get(id) ?? 0).toBeGreaterThan(before), soon);
  await handle.terminate();
});

test('who asks for looks again and again does not put off the look of the day', async () => {
  const id = randomUUID();
  const handle = await start('verifyDomain', { domain_id: id, times: { day_ms: 500 } });
  await vi.waitFor(
    async () => {
      await handle.signal('domainChanged');
      expect(looks.get(`${id} of the day`) ?? 0).toBeGreaterThan(1);
    },
    { timeout: 60_000, interval: 20 },
  );
  await handle.terminate();
});

test('a deadline that the engine has passed and the worker has not is asked for later and later', async () => {
  behindMs = 10 * 60_000;
  const id = randomUUID();
  const handle = await start('humanWait', { wait_id: id, expires_at: Date.now(), votes: true });
  await vi.waitFor(() => expect(looks.get(id) ?? 0).toBeGreaterThanOrEqual(6), soon);
  const { events } = await handle.fetchHistory();
  const pauses = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => {
    const { seconds, nanos } = timer?.startToFireTimeout ?? {};
    return timer ? [Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6] : [];
  });
  expect(pauses.slice(0, 6)).toEqual([50, 100, 200, 400, 800, 1_600]);
  await handle.terminate();
  behindMs = 0;
});

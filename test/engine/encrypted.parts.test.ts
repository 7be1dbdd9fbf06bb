// What workers and clients of the platform leave in the engine: nothing that can be read there, neither what
// is given nor what failed. What an older version started goes on.
import { randomBytes, randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createCalendarActivities } from '#activities/calendar.ts';
import { createDeployActivities } from '#activities/deploy.ts';
import type { CalendarRound } from '#core/kernel/calendar.ts';
import { encryptedPayloads } from '#drivers/workflows/codec.ts';
import { temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { encryptedConverter } from '#worker/converter.ts';
import { createWorkers } from '#worker/queues.ts';
import { testContext, type TestContext } from '../support/context.ts';
import { testTemporal } from '../support/servers.ts';
import { testWorkflows } from '../support/workflows.ts';

const key = randomBytes(32);
const vault = { derive: async () => key };
const soon = { timeout: 30_000, interval: 50 };

let t: TestContext;
let encrypting: ReturnType<typeof temporalWorkflows>;
let stop: () => Promise<void>;
/** Of the entry: how often it ran, and whether it fails. */
let tries = 0;
let fails = false;
const said: CalendarRound = {
  name: 'what-was-said',
  title: 'an entry that fails while it must',
  calendars: [],
  catchupWindowSeconds: 60,
  run: async () => {
    tries += 1;
    if (fails) throw new Error('Ada said that her doctor had said no');
  },
};

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  encrypting = temporalWorkflows({ ...temporal, codec: encryptedPayloads(vault) });
  const connection = await NativeConnection.connect({ address: temporal.address });
  const activities = { ...createDeployActivities({ ...t.ctx, node: 'local' }), ...createCalendarActivities(t.ctx, [said]) };
  const workflows = { workflowBundle: await testWorkflows() };
  const workers = await createWorkers({
    connection,
    namespace: temporal.namespace,
    node: 'local',
    activities,
    workflows,
    dataConverter: encryptedConverter(vault),
  });
  const running = Promise.all(workers.map((worker) => worker.run()));
  stop = async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
    await encrypting.close();
  };
});
afterAll(async () => {
  await stop();
  await t.close();
});

const factsOf = (entry: string) => ({
  type: 'calendarRound',
  workflowId: `calendar:${randomUUID()}`,
  taskQueue: 'control',
  args: [entry],
  searchAttributes: { SvcKind: 'calendar', SvcOwner: 'platform' },
});
/** As the engine's database has it, its bytes as text. */
async function rawHistory(workflowId: string): Promise<string> {
  const texts: string[] = [];
  const gather = (value: unknown): void => {
    if (value instanceof Uint8Array) texts.push(Buffer.from(value).toString('latin1'));
    else if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(gather);
  };
  gather(await t.temporal.workflow.getHandle(workflowId).fetchHistory());
  return texts.join('\n');
}

test('neither what a workflow is given nor the text of a failure can be read in the engine', async () => {
  fails = true;
  const round = factsOf('what-was-said');
  await encrypting.start(round);
  await vi.waitFor(async () => expect((await encrypting.client.workflow.getHandle(round.workflowId).describe()).raw.pendingActivities?.[0]?.lastFailure).toBeTruthy(), soon); // prettier-ignore
  const pending = (await t.temporal.workflow.getHandle(round.workflowId).describe()).raw.pendingActivities?.[0]?.lastFailure;
  expect(pending?.message).toBe('Encoded failure');
  expect(JSON.stringify(pending)).not.toMatch(/doctor/);
  fails = false;
  await encrypting.client.workflow.getHandle(round.workflowId).result();
  expect(await rawHistory(round.workflowId)).not.toMatch(/doctor|what-was-said/);
});

test('who asks with the key reads why a workflow failed', async () => {
  const round = factsOf('unknown-entry');
  await encrypting.start(round);
  await expect(encrypting.client.workflow.getHandle(round.workflowId).result()).rejects.toMatchObject({ cause: { cause: { type: 'NoSuchEntry', message: expect.stringContaining('unknown-entry') } } }); // prettier-ignore
  expect(await rawHistory(round.workflowId)).not.toContain('unknown-entry');
});

test('a workflow that an older version started, in clear, goes on', async () => {
  const round = factsOf('what-was-said');
  await t.ctx.drivers.workflows.start(round);
  await encrypting.client.workflow.getHandle(round.workflowId).result();
  expect(tries).toBeGreaterThan(0);
});

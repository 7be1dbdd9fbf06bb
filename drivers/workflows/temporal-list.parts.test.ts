// What starts again under its id, and what the engine's list says, on a real Temporal server.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { lastSteps } from '#test/engine/steps.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';
import { temporalWorkflows } from './temporal.ts';

const within = { timeout: 20_000, interval: 50 };
let temporal: { address: string; namespace: string };
let workflows: ReturnType<typeof temporalWorkflows>;
beforeAll(async () => {
  temporal = await testTemporal();
  workflows = temporalWorkflows(temporal);
});
afterAll(() => workflows.close());

/** No worker takes it until one is started. */
const start = async (workflowId = `it's:${randomUUID()}`): Promise<string> => {
  const searchAttributes = { SvcKind: 'database', SvcOwner: 'usr_1' };
  await workflows.start({ type: 'dropDatabase', workflowId, taskQueue: 'control', args: [{ project_id: 'dbp_1', branch_id: null }], searchAttributes });
  return workflowId;
};
const execution = async (id: string): Promise<string> => (await workflows.client.workflow.getHandle(id).describe()).runId;
const terminate = (id: string): Promise<unknown> => workflows.client.workflow.getHandle(id).terminate('by hand');

test('a start that is sent twice starts one', async () => {
  const id = await start();
  const first = await execution(id);
  await start(id);
  expect(await execution(id)).toBe(first);
  await terminate(id);
});

test('one that was terminated starts again, and its last run is the one that counts', async () => {
  const [again, gone] = [await start(), await start()];
  const first = await execution(again);
  await Promise.all([again, gone].map(terminate));
  await start(again);
  expect(await execution(again)).not.toBe(first);
  expect(await workflows.describe(again)).toBe('running');
  expect(await workflows.describe(gone)).toBe('terminated');
  expect(await workflows.describe('no such workflow')).toBe('absent');
  await terminate(again);
});

test('one that completed counts as started', async () => {
  const id = await start();
  const stop = await startTestWorkers(temporal, lastSteps({}));
  await vi.waitFor(async () => expect(await workflows.describe(id)).toBe('completed'), within);
  const first = await execution(id);
  await start(id);
  expect(await execution(id)).toBe(first);
  await stop();
});

test('what broke since a moment is listed, and nothing else', async () => {
  const since = new Date(Date.now() - 60_000);
  const [running, gone] = [await start(), await start()];
  await terminate(gone);
  await vi.waitFor(async () => expect(await workflows.brokenSince(since)).toContain(gone), within);
  expect(await workflows.brokenSince(since)).not.toContain(running);
  expect(await workflows.brokenSince(new Date(Date.now() + 60_000))).toEqual([]);
  await terminate(running);
});

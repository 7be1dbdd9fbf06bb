// New workflow code on a real Temporal server while workflows are open: the platform is restarted in place, as `npm run up` does it.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { testTemporal } from '#test/support/servers.ts';
import { versions } from './drain.ts';
import { keptBundles, type KeptBundles } from './kept.ts';
import { currentBuild, knowsVersions, makeCurrent } from './server.ts';

const log = pino({ level: 'silent' });
let connection: NativeConnection;
let client: Client & { close(): Promise<void> };
let folder: string;
let bundles: KeptBundles;
const before = `before-${randomUUID()}`;
const after = `after-${randomUUID()}`;
const taskQueue = `versions-${randomUUID()}`;

beforeAll(async () => {
  const temporal = await testTemporal();
  connection = await NativeConnection.connect({ address: temporal.address });
  const driver = temporalWorkflows(temporal);
  client = Object.assign(driver.client, { close: () => driver.close() });
  folder = await mkdtemp(join(tmpdir(), 'svc-versions-'));
  bundles = keptBundles(join(folder, 'kept'));
  await Promise.all(
    ['before', 'after'].map(async (name) => {
      const { code } = await bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL(`./test/${name}.ts`, import.meta.url)) });
      await writeFile(join(folder, `${name}.js`), code);
    }),
  );
});
afterAll(async () => {
  await client.close();
  await connection.close();
  await rm(folder, { recursive: true, force: true });
});

interface Code {
  buildId: string;
  codePath: string;
}
const codeOf = (name: 'before' | 'after'): Code => ({ buildId: name === 'before' ? before : after, codePath: join(folder, `${name}.js`) });
const createWorker = ({ buildId, codePath }: Code): Promise<Worker> =>
  Worker.create({
    connection,
    namespace: client.options.namespace,
    taskQueue,
    workflowBundle: { codePath },
    activities: { note: async (text: string) => text },
    shutdownGraceTime: '1s',
    workerDeploymentOptions: { version: { deploymentName: 'svc', buildId }, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' },
  });

/** The platform with this code; resolves when new work goes to it. */
async function up(code: Code): Promise<{ tend(): Promise<void>; draining(): string[]; down(): Promise<void> }> {
  await bundles.keep(code.buildId, code.codePath);
  const worker = await createWorker(code);
  const running = worker.run();
  await vi.waitFor(async () => expect(await makeCurrent(client, code.buildId)).toBe(true), { timeout: 20_000, interval: 100 });
  const tended = versions({ client, buildId: code.buildId, bundles, createWorker, log });
  return {
    tend: tended.tend,
    draining: tended.draining,
    down: async () => {
      worker.shutdown();
      await Promise.all([running, tended.stop()]);
    },
  };
}

const begin = async (type: 'short' | 'long'): Promise<WorkflowHandle> => {
  const handle = await client.workflow.start(type, { workflowId: `${type}-${randomUUID()}`, taskQueue });
  // Its first activity is done: the code it began with is in its history.
  await vi.waitFor(async () => expect((await handle.fetchHistory()).events?.some((e) => e.activityTaskCompletedEventAttributes)).toBe(true), {
    timeout: 20_000,
    interval: 100,
  });
  return handle;
};

test('a pinned workflow ends on the code it began with, one that follows goes on with the new code, in one process', async () => {
  expect(await knowsVersions(client)).toBe(true);
  const old = await up(codeOf('before'));
  const [short, long] = await Promise.all([begin('short'), begin('long')]);
  await old.down();
  const now = await up(codeOf('after'));
  await vi.waitFor(
    async () => {
      await now.tend();
      expect(now.draining()).toEqual([before]);
    },
    { timeout: 20_000, interval: 200 },
  );
  await Promise.all([short.signal('go'), long.signal('go')]);
  expect(await short.result()).toBe('before');
  expect(await long.result()).toBe('after');
  // With the last of them the old code goes.
  await vi.waitFor(
    async () => {
      await now.tend();
      expect(now.draining()).toEqual([]);
    },
    { timeout: 20_000, interval: 200 },
  );
  expect((await bundles.list()).map(({ buildId }) => buildId)).toEqual([after]);
  await now.down();
});

test('a pinned workflow whose code is nowhere any more goes on with the current code instead of waiting for ever', async () => {
  const lost = await up({ ...codeOf('before'), buildId: `lost-${randomUUID()}` });
  const long = await client.workflow.start('short', { workflowId: `short-${randomUUID()}`, taskQueue });
  await vi.waitFor(async () => expect((await long.describe()).historyLength).toBeGreaterThan(4), { timeout: 20_000, interval: 100 });
  await lost.down();
  for (const { buildId } of await bundles.list()) await bundles.remove(buildId);
  const now = await up(codeOf('before'));
  await long.signal('go');
  await vi.waitFor(
    async () => {
      await now.tend();
      expect((await long.describe()).status.name).toBe('COMPLETED');
    },
    { timeout: 20_000, interval: 500 },
  );
  await now.down();
});

test('a server that forgot which version is current is told again', async () => {
  const now = await up(codeOf('after'));
  await client.workflowService.setWorkerDeploymentCurrentVersion({
    namespace: client.options.namespace,
    deploymentName: 'svc',
    buildId: '',
    ignoreMissingTaskQueues: true,
  });
  expect(await currentBuild(client)).toBeUndefined();
  await now.tend();
  expect(await currentBuild(client)).toBe(after);
  await now.down();
});

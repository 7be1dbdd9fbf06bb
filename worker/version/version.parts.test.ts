// New workflow code on a real Temporal server while workflows are open: the platform is restarted in place,
// as `npm run up` does it.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { temporalVersions, type WorkflowVersions } from '#drivers/workflows/versions.ts';
import { testTemporal } from '#test/support/servers.ts';
import { versions } from './drain.ts';
import { bundleStore, type BundleStore } from './bundle-store.ts';

const log = pino({ level: 'silent' });
let address: string;
let client: Client & { close(): Promise<void> };
let server: WorkflowVersions;
let folder: string;
/** What somebody has made current, by the platform's own record. */
let wanted: string | undefined;
let bundles: BundleStore;
const before = `before-${randomUUID()}`;
const after = `after-${randomUUID()}`;
const taskQueue = `versions-${randomUUID()}`;

beforeAll(async () => {
  const temporal = await testTemporal();
  ({ address } = temporal);
  const driver = temporalWorkflows(temporal);
  client = Object.assign(driver.client, { close: () => driver.close() });
  server = temporalVersions(driver.client);
  folder = await mkdtemp(join(tmpdir(), 'svc-versions-'));
  bundles = bundleStore(join(folder, 'kept'));
  await Promise.all(
    ['before', 'after'].map(async (name) => {
      const { code } = await bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL(`./test/${name}.ts`, import.meta.url)) });
      await writeFile(join(folder, `${name}.js`), code);
    }),
  );
});
afterAll(async () => {
  await client.close();
  await rm(folder, { recursive: true, force: true });
});

interface Code {
  buildId: string;
  codePath: string;
}
const codeOf = (name: 'before' | 'after'): Code => ({ buildId: name === 'before' ? before : after, codePath: join(folder, `${name}.js`) });
const createWorker = (connection: NativeConnection, { buildId, codePath }: Code): Promise<Worker> =>
  Worker.create({
    connection,
    namespace: client.options.namespace,
    taskQueue,
    workflowBundle: { codePath },
    activities: { note: async (text: string) => text },
    shutdownGraceTime: '1s',
    workerDeploymentOptions: { version: { deploymentName: 'svc', buildId }, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' },
  });

interface Platform {
  tend(): Promise<void>;
  draining(): string[];
  down(): Promise<void>;
}

/**
 * A worker with this code and these bundles, as in a process of its own; resolves when Temporal has noticed
 * it. `seen`: what it sees of the server.
 */
async function begin(code: Code, kept: BundleStore = bundles, seen: WorkflowVersions = server): Promise<Platform> {
  await kept.keep(code.buildId, code.codePath);
  const connection = await NativeConnection.connect({ address });
  const worker = await createWorker(connection, code);
  const running = worker.run();
  await vi.waitFor(async () => expect(await server.isPolled(code.buildId)).toBe(true), { timeout: 20_000, interval: 100 });
  const tended = versions({
    server: seen,
    buildId: code.buildId,
    bundles: kept,
    wanted: async () => wanted,
    createWorker: (old) => createWorker(connection, old),
    log,
  });
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    worker.shutdown();
    await Promise.all([running, tended.stop()]);
    await connection.close();
  };
  const down = (): Promise<void> => (ending ??= end());
  onTestFinished(down);
  return {
    tend: tended.tend,
    draining: tended.draining,
    down,
  };
}

/** The same, and it is made current: what `npm run up` does. */
async function up(code: Code): Promise<Platform> {
  const platform = await begin(code);
  await makeCurrent(code.buildId);
  return platform;
}

async function makeCurrent(buildId: string): Promise<void> {
  await vi.waitFor(async () => expect(await server.makeCurrent(buildId)).toBe(true), { timeout: 20_000, interval: 100 });
  wanted = buildId;
}

const work = async (type: 'short' | 'long'): Promise<WorkflowHandle> => {
  const handle = await client.workflow.start(type, { workflowId: `${type}-${randomUUID()}`, taskQueue });
  // Its first activity is done: the code it began with is in its history.
  await vi.waitFor(async () => expect((await handle.fetchHistory()).events?.some((e) => e.activityTaskCompletedEventAttributes)).toBe(true), {
    timeout: 20_000,
    interval: 100,
  });
  return handle;
};

test('a pinned workflow ends on the code it began with, one that follows goes on with the new code, in one process', async () => {
  expect(await server.isSupported()).toBe(true);
  const old = await up(codeOf('before'));
  const [short, long] = await Promise.all([work('short'), work('long')]);
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
});

test('a worker with old code that starts again leaves the newer version current, and keeps its bundle', async () => {
  await up(codeOf('after'));
  const again = await begin(codeOf('before'));
  await again.tend();
  expect(await server.current()).toBe(after);
  expect(again.draining()).toEqual([after]);
  expect((await bundles.list()).map(({ buildId }) => buildId)).toContain(after);
});

test('a worker with new code that nobody made current runs the current version beside it: workflows go on as they were', async () => {
  const old = await up(codeOf('before'));
  const long = await work('long');
  await old.down();
  const next = await begin(codeOf('after'));
  await next.tend();
  expect(next.draining()).toEqual([before]);
  expect(await server.current()).toBe(before);
  await long.signal('go');
  expect(await long.result()).toBe('before');
});

test('at most four earlier versions run beside it: the others wait until one of those is done with', async () => {
  const ids = Array.from({ length: 5 }, (_, at) => `old-${at}-${randomUUID()}`);
  const pinned = new Set(ids);
  const kept = bundleStore(join(folder, 'many'));
  for (const buildId of ids) await kept.keep(buildId, codeOf('before').codePath);
  const seen = { ...server, countPinned: async (buildId: string) => (pinned.has(buildId) ? 1 : 0) };
  const now = await begin({ ...codeOf('after'), buildId: `now-${randomUUID()}` }, kept, seen);
  await now.tend();
  expect(now.draining()).toEqual(ids.slice(0, 4));
  pinned.delete(ids[1] ?? '');
  await now.tend();
  expect(now.draining().toSorted()).toEqual(ids.toSpliced(1, 1));
});

test('a pinned workflow whose own worker lives stays pinned, whatever another worker with an empty folder has', async () => {
  await up(codeOf('before'));
  const short = await work('short');
  const empty = await begin({ ...codeOf('after'), buildId: `empty-${randomUUID()}` }, bundleStore(join(folder, 'empty')));
  await vi.waitFor(async () => expect(await server.countPinned(before)).toBe(1), { timeout: 20_000, interval: 100 });
  await empty.tend();
  const { raw } = await short.describe();
  expect(raw.workflowExecutionInfo?.versioningInfo?.versioningOverride ?? null).toBeNull();
  await short.signal('go');
  expect(await short.result()).toBe('before');
});

test('a server that was started again and knows of no worker for a moment takes nobody its code', async () => {
  await up(codeOf('before'));
  const short = await work('short');
  await vi.waitFor(async () => expect(await server.countPinned(before)).toBe(1), { timeout: 20_000, interval: 100 });
  let asked = 0;
  const restarted = { ...server, isPolled: async (buildId: string) => (buildId === before ? (asked += 1) > 2 : server.isPolled(buildId)) };
  const other = await begin({ ...codeOf('after'), buildId: `next-${randomUUID()}` }, bundleStore(join(folder, 'next')), restarted);
  await other.tend();
  expect(asked).toBeGreaterThan(1);
  await other.tend();
  await short.signal('go');
  expect(await short.result()).toBe('before');
});

test('a pinned workflow whose code is nowhere any more goes on with the current code instead of waiting for ever', async () => {
  const lost = { ...codeOf('before'), buildId: `lost-${randomUUID()}` };
  const had = await up(lost);
  const long = await work('short');
  await had.down();
  for (const { buildId } of await bundles.list()) await bundles.remove(buildId);
  // The server names a worker that is gone for five minutes more: here it has forgotten this one.
  const forgetful = { ...server, isPolled: async (buildId: string) => buildId !== lost.buildId && server.isPolled(buildId) };
  const now = await begin(codeOf('before'), bundles, forgetful);
  await makeCurrent(before);
  await long.signal('go');
  await vi.waitFor(
    async () => {
      await now.tend();
      expect((await long.describe()).status.name).toBe('COMPLETED');
    },
    { timeout: 20_000, interval: 500 },
  );
});

describe('a server that forgot which version is current', () => {
  const forget = () =>
    client.workflowService.setWorkerDeploymentCurrentVersion({
      namespace: client.options.namespace,
      deploymentName: 'svc',
      buildId: '',
      ignoreMissingTaskQueues: true,
    });

  test('is told again what somebody said last, by a worker that runs it', async () => {
    const now = await up(codeOf('after'));
    await forget();
    expect(await server.current()).toBeUndefined();
    await now.tend();
    expect(await server.current()).toBe(after);
  });

  test('is told nothing by a worker of other code', async () => {
    await up(codeOf('after'));
    await forget();
    const other = await begin({ ...codeOf('before'), buildId: `other-${randomUUID()}` }, bundleStore(join(folder, 'other')));
    await other.tend();
    expect(await server.current()).toBeUndefined();
  });
});

test('the list of builds says which is current, who runs each, and what is pinned to it', async () => {
  await up(codeOf('before'));
  await begin(codeOf('after'));
  const short = await work('short');
  await vi.waitFor(async () => expect(await server.countPinned(before)).toBe(1), { timeout: 20_000, interval: 100 });
  const builds = await server.builds();
  expect(builds.find(({ build_id: id }) => id === before)).toMatchObject({ current: true, workers: 1, pinned: 1, current_since: expect.any(Number) });
  expect(builds.find(({ build_id: id }) => id === after)).toMatchObject({ current: false, workers: 1, pinned: 0, current_since: null });
  await short.signal('go');
  expect(await short.result()).toBe('before');
});

// Which workflow code is current, on a real Temporal server: `up` says so, a worker that its supervisor
// starts again does not.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { temporalVersions } from '#drivers/workflows/versions.ts';
import { compileCache } from '#test/support/compile-cache.ts';
import { testDatabase, testTemporal } from '#test/support/servers.ts';
import { freePort } from './ports.ts';

const Parts = z.object({ parts: z.array(z.object({ part: z.string(), state: z.string(), pid: z.number().optional() })) });
const patiently = { timeout: 90_000, interval: 200 };
const newer = `newer-${randomUUID()}`;
let state: string;
let env: Record<string, string>;
let driver: ReturnType<typeof temporalWorkflows>;
/** On another machine. */
let elsewhere: { worker: Worker; running: Promise<void>; connection: NativeConnection };

beforeAll(async () => {
  const [database, temporal] = await Promise.all([testDatabase(), testTemporal()]);
  state = mkdtempSync(join(tmpdir(), 'svc-current-'));
  chmodSync(state, 0o711);
  env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '/',
    NODE_COMPILE_CACHE: compileCache(),
    SVC_STATE_DIR: state,
    SVC_PARTS: 'postgres,temporal,migrate,namespace,worker',
    SVC_PORT: String(await freePort()),
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
  };
  driver = temporalWorkflows(temporal);
  const connection = await NativeConnection.connect({ address: temporal.address });
  const worker = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: 'control',
    workflowBundle: await bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL('../worker/version/test/before.ts', import.meta.url)) }),
    activities: { note: async (text: string) => text },
    shutdownGraceTime: '1s',
    workerDeploymentOptions: { version: { deploymentName: 'svc', buildId: newer }, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' },
  });
  elsewhere = { worker, running: worker.run(), connection };
});
afterAll(async () => {
  await stack('down');
  elsewhere.worker.shutdown();
  await elsewhere.running;
  await Promise.all([elsewhere.connection.close(), driver.close()]);
  rmSync(state, { recursive: true, force: true });
});

function stack(command: string): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(import.meta.dirname, 'main.ts'), ...command.split(' ')], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, text: stdout + stderr }),
    );
  });
}

const worker = async () => Parts.parse(JSON.parse((await stack('status --json')).text)).parts.find(({ part }) => part === 'worker');
const log = (): string => readFileSync(join(state, 'logs', 'worker.log'), 'utf8');

test('up makes the code that it starts current; its supervisor starts the worker again, and nobody else loses anything', async () => {
  const versions = temporalVersions(driver.client);
  const up = await stack('up');
  expect(up.code, up.text).toBe(0);
  const ours = await versions.current();
  expect(ours).toMatch(/^[0-9a-f]{32}$/);
  expect(up.text).toContain(`workflow code ${ours?.slice(0, 12)} is current`);

  // A newer version is rolled out elsewhere, and has a workflow that is pinned to it.
  await vi.waitFor(async () => expect(await versions.makeCurrent(newer)).toBe(true), patiently);
  const pinned = await driver.client.workflow.start('short', { workflowId: `short-${randomUUID()}`, taskQueue: 'control' });
  await vi.waitFor(async () => expect(await versions.countPinned(newer)).toBe(1), patiently);

  // Here the machine is replaced: the worker dies, and the bundles that it kept are gone.
  const before = await worker();
  rmSync(join(state, 'workflows'), { recursive: true });
  process.kill(before?.pid ?? 0, 'SIGKILL');
  await vi.waitFor(async () => {
    const now = await worker();
    expect([now?.state, now?.pid === before?.pid]).toEqual(['healthy', false]);
  }, patiently);
  expect(await versions.current()).toBe(newer);
  await vi.waitFor(() => expect(log()).toContain('the code of this worker is not the current version'), patiently);
  expect(await versions.current()).toBe(newer);
  const { raw } = await pinned.describe();
  expect(raw.workflowExecutionInfo?.versioningInfo?.versioningOverride ?? null).toBeNull();
  await pinned.signal('go');
  expect(await pinned.result()).toBe('before');

  // The whole installation goes back to the older program: that is said, with the way back.
  expect((await stack('down')).code).toBe(0);
  const back = await stack('up');
  expect(back.code, back.text).toBe(0);
  expect(await versions.current()).toBe(ours);
  expect(back.text).toContain(`To go back: svc workers set-current ${newer}`);
});

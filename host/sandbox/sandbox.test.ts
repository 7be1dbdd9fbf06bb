import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Machine } from '../microvm/port.ts';
import { openLogBook } from '../resources/log-book.ts';
import { loadSandbox, type SandboxRecord } from './record.ts';
import { createSandbox, type Running } from './sandbox.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-sandbox-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const record = (): SandboxRecord => ({
  sandbox_id: 'sbx1',
  image: 'python:3.11-slim',
  memory_mib: 64,
  cpus: 1,
  egress: [],
  idle_ms: 1_000,
  state: 'running',
  machine: 'm1',
  machine_mib: 64,
  created_at: 1,
  last_used_at: 1,
});

/** A machine whose end takes until `killed` is called: how long a real one takes cannot be held. */
function slowToEnd(): { running: Running; killed(): void; released(): number } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let released = 0;
  const machine: Partial<Machine> = { state: 'paused', stopped: new Promise(() => undefined), kill: () => promise };
  const running = { machine: machine as Machine, machineDir: join(dir, 'machine'), lease: { release: () => released++ }, egress: undefined };
  return { running: running as unknown as Running, killed: resolve, released: () => released };
}

it('ended again while it ends, it answers when it has ended, once', async () => {
  const { running, killed, released } = slowToEnd();
  const sandbox = createSandbox(dir, record(), await openLogBook(dir), running);
  sandbox.tick();
  let ended = false;
  const again = sandbox.end('removed', false).then(() => (ended = true));
  await new Promise(setImmediate);
  expect(ended).toBe(false);
  killed();
  await again;
  expect(await loadSandbox(dir)).toMatchObject({ state: 'stopped' });
  expect(released()).toBe(1);
  expect(sandbox.logs(10)).toBe('The sandbox had no program for 1 s and was ended.');
});

it('where its end cannot be written, its logs say so and the host stays', async () => {
  const { running, killed, released } = slowToEnd();
  const sandbox = createSandbox('/dev/null/nowhere', record(), await openLogBook(dir), running);
  killed();
  await sandbox.end('removed', false);
  expect(released()).toBe(1);
  expect(sandbox.logs(10)).toContain('could not be written down');
});

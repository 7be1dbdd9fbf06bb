// A host that is killed in the middle: what it left is taken back or ended; nothing is orphaned.
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testHost, type TestHost } from '../test/support.ts';
import { hostSandbox } from '#drivers/sandbox/client.ts';
import type { SandboxRuntime } from '#drivers/sandbox/port.ts';
import { run, sandboxInput, shell } from '#drivers/sandbox/test/programs.ts';

let host: TestHost;
let runtime: SandboxRuntime;

beforeAll(async () => {
  host = await testHost({ SVC_SANDBOX_SPARES: '1' });
  runtime = hostSandbox({ socketPath: join(host.stateDir, 'run/host.sock') });
});
afterAll(() => host.end());

/** Emulators whose folder is below that host's sandboxes, and holders of its snapshots. */
async function processes(): Promise<string[]> {
  const { stdout } = spawn('sh', ['-c', 'for p in /proc/[0-9]*; do echo "$(readlink $p/cwd)"; done']);
  let text = '';
  for await (const chunk of stdout) text += String(chunk);
  return text.split('\n').filter((line) => line.startsWith(join(host.stateDir, 'sandbox-vm')));
}

it('is taken back after a kill: its files, its environment, its programs in the background; the program under way has ended', async () => {
  const input = sandboxInput({ env: { TOKEN: 'still here' } });
  await runtime.create(input);
  await shell(runtime, input.sandbox_id, 'echo kept > file; (while :; do date +%s > tick; sleep 0.2; done) >/dev/null 2>&1 &');
  const lost = run(runtime, input.sandbox_id, 'sh', ['-c', 'echo begun > begun; exec sleep 991']);
  lost.catch(() => undefined);
  await expect.poll(async () => (await shell(runtime, input.sandbox_id, 'cat begun')).stdout, { timeout: 30_000 }).toBe('begun\n');
  await host.restart();
  await expect(lost).rejects.toMatchObject({ code: 'host_unreachable' });
  expect(await runtime.get(input.sandbox_id)).toMatchObject({ state: 'running' });
  expect((await shell(runtime, input.sandbox_id, 'cat file; echo ${#TOKEN}')).stdout).toBe('kept\n10\n');
  await expect.poll(async () => (await shell(runtime, input.sandbox_id, `grep -la 'slee[p].991' /proc/[0-9]*/cmdline`)).stdout, { timeout: 40_000 }).toBe('');
  // Its secret is in no file of the host.
  const found = spawn('grep', ['-rl', 'still here', host.stateDir]);
  let files = '';
  for await (const chunk of found.stdout) files += String(chunk);
  expect(files).toBe('');
});

it('leaves no orphaned machine: the next host ends spares and half-made ones of a killed host', async () => {
  const kept = (await runtime.list()).map((one) => one.sandbox_id);
  const half = sandboxInput();
  const making = runtime.create(half);
  making.catch(() => undefined);
  await host.restart();
  await making.catch(() => undefined);
  const running = (await runtime.list()).filter((one) => one.state === 'running');
  await expect.poll(async () => (await processes()).length, { timeout: 20_000 }).toBe(running.length);
  for (const one of [...kept, half.sandbox_id]) await runtime.remove(one);
  await expect.poll(processes, { timeout: 20_000 }).toEqual([]);
  expect(await readdir(join(host.stateDir, 'sandbox'))).toEqual([]);
});

it('is ended with a host that stops', async () => {
  const { sandbox_id } = await runtime.create(sandboxInput());
  await host.stop();
  expect(await processes()).toEqual([]);
  await host.restart();
  expect(await runtime.get(sandbox_id)).toMatchObject({ state: 'stopped' });
  expect(await runtime.logs(sandbox_id, 5)).toMatch(/host stopped/);
});

// Workers end with the sidecar, also when that one was killed and could say nothing.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startProcess } from './process.ts';

const MODULE = fileURLToPath(new URL('process.ts', import.meta.url));
const WORKER = ['-c', 'sleep 600 & echo "pids $$ $!"; wait'];

/** Also true of a process that ended and was not yet collected. */
function gone(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '';
  } catch {
    return true;
  }
}

const pidsIn = (text: string): number[] => /pids (\d+) (\d+)/.exec(text)?.slice(1).map(Number) ?? [];

it.runIf(process.platform === 'linux')('a worker and what it started end when the sidecar is killed', async () => {
  const program = `
    const { startProcess } = await import(${JSON.stringify(MODULE)});
    const say = (line) => console.log(line);
    startProcess({ command: 'sh', args: ${JSON.stringify(WORKER)} }, '/nowhere', { debug: say, info: say, warn: say, error: say });
  `;
  const sidecar = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void sidecar.kill('SIGKILL'));
  let said = '';
  sidecar.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await vi.waitFor(() => expect(pidsIn(said)).toHaveLength(2), 20_000);
  const pids = pidsIn(said);
  expect(pids.map(gone)).toEqual([false, false]);
  sidecar.kill('SIGKILL');
  await vi.waitFor(() => expect(pids.map(gone)).toEqual([true, true]), 5_000);
});

it('a missing program, and one that ends, have their own errors', async () => {
  const warned: string[] = [];
  const log = { debug: () => {}, info: () => {}, warn: (line: string) => void warned.push(line), error: () => {} };
  const missing = startProcess({ command: 'no-such-worker' }, '/nowhere', log);
  expect(await missing.ended).toBe('ended with status 127');
  expect(missing.lastWords()).toMatch(/no-such-worker.*not found/);
  expect(await startProcess({ command: 'sh', args: ['-c', 'exit 7'] }, '/nowhere', log).ended).toBe('ended with status 7');
  const stubborn = startProcess({ command: 'sh', args: ['-c', 'trap "" TERM; echo ready >&2; while :; do sleep 1; done'] }, '/nowhere', log);
  await vi.waitFor(() => expect(stubborn.lastWords()).toBe('ready'), 10_000);
  await stubborn.end(200);
  expect(await stubborn.ended).toBe('ended by SIGKILL');
});

// Machines that wait for the next sandbox: there soon after the host's start, fast, and as unlike each other
// as any two.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sandboxInput, shell } from '#drivers/sandbox/test/programs.ts';
import { sandboxHost, type SandboxHost } from './test/host.ts';

let host: SandboxHost;
beforeAll(async () => {
  host = await sandboxHost({ spares: 2, prepareAfterMs: 0 });
});
afterAll(() => host.end());

const said = (msg: string) => host.log.filter((line) => line['msg'] === msg);

const draw = `
import os, random, secrets, ssl, uuid
print(os.urandom(8).hex())
print(ssl.RAND_bytes(8).hex())
print(random.random())
print(uuid.uuid4())
print(secrets.token_hex(8))
print(hash('a word'))
print(open('/proc/sys/kernel/random/uuid').read().strip())
print([line.split('-')[0] for line in open('/proc/self/maps') if '[stack]' in line][0])
print(os.uname().nodename)`;

it('are made without being asked for, and two of one snapshot share no random number, address or name', async () => {
  await expect.poll(() => said('sandbox_spare_ready').length, { timeout: 270_000, interval: 100 }).toBe(2);
  const draws: string[][] = [];
  for (let n = 0; n < 2; n++) {
    const { sandbox_id } = await host.runtime.create(sandboxInput());
    const { stdout } = await host.runtime.exec(sandbox_id, { command: 'python3', args: ['-c', draw], timeout_ms: 60_000 }, AbortSignal.timeout(60_000));
    draws.push(stdout.trim().split('\n'));
  }
  expect(said('sandbox_started').map((line) => line['spare'])).toEqual([true, true]);
  const [left = [], right = []] = draws;
  expect(left).toHaveLength(9);
  left.forEach((word, index) => expect(word).not.toBe(right[index]));
});

it('are made anew, and nothing of their warming is left to see: no program, no file, no variable, no line in the log', async () => {
  await expect.poll(() => said('sandbox_spare_ready').length, { timeout: 270_000, interval: 100 }).toBeGreaterThan(2);
  const { sandbox_id } = await host.runtime.create(sandboxInput({ env: { ONLY: 'this' } }));
  expect(said('sandbox_started').at(-1)?.['spare']).toBe(true);
  expect(await host.runtime.logs(sandbox_id, 10)).toBe('');
  const script = 'find /tmp /workspace /home/agent -mindepth 1; env | cut -d= -f1 | sort | tr "\\n" " "; echo; grep -la python /proc/[0-9]*/cmdline; date +%s';
  const before = Date.now();
  const { stdout } = await shell(host.runtime, sandbox_id, script);
  const [variables, time] = stdout.trim().split('\n');
  expect(variables?.trim().split(' ')).toEqual(['HOME', 'LANG', 'ONLY', 'PATH', 'PWD']);
  expect(Number(time)).toBeGreaterThanOrEqual(Math.floor(before / 1_000) - 1);
  expect(Number(time)).toBeLessThanOrEqual(Date.now() / 1_000 + 1);
});

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Machine } from './port.ts';
import { isAlive } from './qemu/process.ts';
import { readRecord } from './qemu/record.ts';
import { clockError, fetchGuest, startServer } from './test/guest-server.ts';
import { shell, testMachines } from './test/machines.ts';

let vms: Awaited<ReturnType<typeof testMachines>>;
let machine: Machine;

beforeAll(async () => {
  vms = await testMachines();
  machine = await vms.boot('life');
});
afterAll(() => vms.end());

const pidOf = async ({ spec }: Machine): Promise<number> => {
  const pid = (await readRecord(spec.dir))?.pid;
  if (pid === undefined) throw new Error(`${spec.id} has no process`);
  return pid;
};
const countOf = async (): Promise<number> => JSON.parse((await fetchGuest(machine, '/')).text).count;

describe('programs in the guest', () => {
  it('have the right time after the boot, which took seconds', async () => {
    const before = Date.now();
    const { out } = await shell(machine, 'date +%s%3N');
    // Within what it takes to set it; a boot is some ten times as long.
    expect(Number(out)).toBeGreaterThan(before - 500);
    expect(Number(out)).toBeLessThan(Date.now() + 500);
  });

  it('answer output, error output and exit code', async () => {
    expect(await shell(machine, 'echo out; echo err >&2; exit 7')).toEqual({ code: 7, out: 'out\n', err: 'err\n' });
    expect((await shell(machine, 'kill -TERM $$')).code).toBe(128 + 15);
    expect(await machine.exec('no-such-program', [])).toBe(127);
  });

  it('run as an unprivileged user with a name, a loopback and no other network', async () => {
    const { out } = await shell(machine, 'id -u; hostname; ls /sys/class/net; cat /proc/self/status | grep CapEff');
    expect(out.split('\n')).toEqual(['1000', 'life', 'lo', 'CapEff:\t0000000000000000', '']);
    expect((await shell(machine, 'id -u', 'root')).out).toBe('0\n');
  });

  it('take input to its end, more of it than any buffer holds', async () => {
    const bytes = randomBytes(3_000_000);
    const pieces = Array.from({ length: 30 }, (_, i) => bytes.subarray(i * 100_000, (i + 1) * 100_000));
    const stdin = (async function* () {
      yield* pieces;
    })();
    let out = '';
    expect(await machine.exec('sha256sum', [], { stdin, onOutput: (_, chunk) => (out += Buffer.from(chunk).toString()) })).toBe(0);
    expect(out.slice(0, 64)).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('end with all their children when aborted', async () => {
    const abort = new AbortController();
    const code = await machine.exec('/bin/sh', ['-c', 'setsid sleep 1234 & setsid sleep 1234 & echo up; wait'], {
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    expect(code).toBe(137);
    expect((await shell(machine, 'cat /proc/[0-9]*/comm')).out.split('\n')).not.toContain('sleep');
  });

  it('with a name can be taken up again, once they ran', async () => {
    await expect(machine.attach('nobody')).rejects.toThrow(/ENOENT/);
  });
});

describe('streams', () => {
  it('to an unknown service are refused', async () => {
    const stream = await machine.connect('nothing');
    const [error] = await once(stream, 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('of the guest reach the host, with backpressure and both ends', async () => {
    const sent = randomBytes(2_000_000);
    const got = new Promise<Buffer>((resolve) =>
      machine.serve('egress', (stream) => {
        stream.end(sent);
        void buffer(stream).then(resolve);
      }),
    );
    const js = `const s = require('net').connect('/run/svc/host/egress.sock'); s.pipe(s);`;
    expect(await machine.exec('node', ['-e', js])).toBe(0);
    expect((await got).equals(sent)).toBe(true);
  });
});

describe('sleep', () => {
  beforeAll(() => startServer(machine));

  it('answers over HTTP', async () => {
    const before = await countOf();
    expect(await countOf()).toBe(before + 1);
    const body = randomBytes(1_000_000).toString('hex');
    expect((await fetchGuest(machine, '/echo', body)).text).toBe(body);
  });

  it('pauses and wakes', async () => {
    const before = await countOf();
    await machine.pause();
    expect(machine.state).toBe('paused');
    await expect(machine.connect('http')).rejects.toMatchObject({ code: 'not_running' });
    await machine.wake();
    expect(await countOf()).toBe(before + 1);
  });

  it('paused, it outlives its process: it goes on from its files, with its streams, again and again', async () => {
    const before = await countOf();
    const stream = await machine.connect('http');
    stream.write('GET /stream HTTP/1.1\r\nhost: guest\r\nconnection: close\r\n\r\n');
    const whole = buffer(stream);
    // At once, before anybody here knows of it; while that is learned; and when it is known.
    for (const laterMs of [undefined, 0, 1, 2, 3, 5, 'known'] as const) {
      await machine.pause();
      process.kill(await pidOf(machine), 'SIGKILL');
      if (laterMs === 'known') await vi.waitFor(() => expect(machine.state).toBe('suspended'), 10_000);
      else if (laterMs !== undefined) await delay(laterMs);
      await machine.wake();
    }
    expect((await whole).toString().match(/tick \d+/g)).toEqual(Array.from({ length: 40 }, (_, i) => `tick ${i}`));
    await machine.pause();
    process.kill(await pidOf(machine), 'SIGKILL');
    await machine.suspend();
    await machine.wake();
    expect(await countOf()).toBe(before + 1);
  });

  it('paused for good, its files reach the disk while it stays in memory; awake they count for nothing', async () => {
    const durable = async (): Promise<unknown> => {
      const record = await readRecord(machine.spec.dir);
      return [record?.phase, record?.durable];
    };
    await machine.pause();
    expect(await durable()).toEqual(['suspended', false]);
    await machine.wake();
    await machine.pause({ durable: true });
    expect(machine.state).toBe('paused');
    await vi.waitFor(async () => expect(await durable()).toEqual(['suspended', true]), 30_000);
    const pid = await pidOf(machine);
    await machine.wake();
    expect(await pidOf(machine)).toBe(pid);
    expect(await durable()).toEqual(['running', false]);
  });

  it('has its clock set again while it runs; paused it is not touched', async () => {
    const aheadMs = async (): Promise<number> => Number((await shell(machine, 'date +%s%3N')).out) - Date.now();
    expect((await shell(machine, 'date -s @1000000000', 'root')).code).toBe(0);
    expect(await aheadMs()).toBeLessThan(-600_000_000_000);
    await machine.setClock();
    expect(Math.abs(await aheadMs())).toBeLessThan(60_000);
    await machine.pause();
    await machine.setClock();
    expect(machine.state).toBe('paused');
    await machine.wake();
  });

  it('suspends to files without a process and goes on in the next line, with the right time', async () => {
    const before = await countOf();
    const record = await readRecord(machine.spec.dir);
    const qemu = { pid: record?.pid ?? 0, startTime: record?.start_time ?? '' };
    expect(await isAlive(qemu)).toBe(true);
    await machine.suspend();
    expect(machine.state).toBe('suspended');
    expect(await isAlive(qemu)).toBe(false);
    await machine.wake();
    const { text } = await fetchGuest(machine, '/');
    expect(JSON.parse(text).count).toBe(before + 1);
    expect(await clockError(machine)).toBeLessThan(2_000);
  });

  it('keeps a stream alive through several processes', async () => {
    const stream = await machine.connect('http');
    stream.write('GET /stream HTTP/1.1\r\nhost: guest\r\nconnection: close\r\n\r\n');
    const whole = buffer(stream);
    for (let i = 0; i < 3; i++) {
      await machine.suspend();
      await machine.wake();
    }
    const lines = (await whole).toString().match(/tick \d+/g);
    expect(lines).toEqual(Array.from({ length: 41 }, (_, i) => `tick ${i}`).slice(0, lines?.length));
    expect((await whole).toString()).toContain('done');
  });

  it('that fails to wake stays suspended, its files whole, and wakes once the cause is gone', async () => {
    const before = await countOf();
    await machine.suspend();
    const state = join(machine.spec.dir, 'state');
    const bytes = await readFile(state);
    await writeFile(state, 'not a device state');
    await expect(machine.wake()).rejects.toMatchObject({ code: 'restore_failed' });
    expect(machine.state).toBe('suspended');
    await writeFile(state, bytes);
    await machine.wake();
    expect(await countOf()).toBe(before + 1);
  });

  it('survives being asked for everything at once', async () => {
    await Promise.all([machine.suspend(), machine.wake(), machine.pause(), machine.wake(), machine.suspend(), machine.wake()]);
    expect(machine.state).toBe('running');
    expect(await countOf()).toBeGreaterThan(0);
  });
});

describe('the process on the host', () => {
  it('has a user of its own (as root), no new privileges and a system call filter', async () => {
    const record = await readRecord(machine.spec.dir);
    const status = await readFile(`/proc/${record?.pid}/status`, 'utf8');
    expect(status).toMatch(/NoNewPrivs:\t1/);
    expect(status).toMatch(/Seccomp:\t2/);
    if (process.getuid?.() === 0) expect(status).toMatch(new RegExp(`Uid:\\t${record?.uid}\\t${record?.uid}`));
    expect(record?.uid === undefined || record.uid >= 64_000).toBe(true);
  });

  it('that dies stops the machine with a reason, and its streams', async () => {
    const doomed = await vms.boot('doomed');
    const stream = await doomed.connect('nothing-yet');
    const closed = new Promise((resolve) => stream.once('close', resolve));
    const pid = (await readRecord(doomed.spec.dir))?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    expect((await doomed.stopped).reason).toMatch(/QEMU/);
    await closed;
    expect(doomed.state).toBe('stopped');
    await expect(doomed.exec('true', [])).rejects.toMatchObject({ code: 'not_running' });
  });
});

import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Machine } from './port.ts';
import { isAlive, type ProcessId } from './qemu/process.ts';
import { readRecord } from './qemu/record.ts';
import { clockError, fetchGuest, startServer } from './test/guest-server.ts';
import { readyProcess, testMachines } from './test/machines.ts';

let vms: Awaited<ReturnType<typeof testMachines>>;
let machine: Machine;
let other: Machine;

beforeAll(async () => {
  vms = await testMachines({ ready: 1 });
  [machine, other] = await Promise.all([vms.boot('one'), vms.boot('other')]);
  await startServer(machine);
});
afterAll(() => vms.end());

const processOf = async ({ spec }: Machine): Promise<ProcessId> => {
  const { pid = 0, start_time: startTime = '' } = (await readRecord(spec.dir)) ?? {};
  return { pid, startTime };
};
const countOf = async (): Promise<number> => JSON.parse((await fetchGuest(machine, '/')).text).count;
const ended = (process: ProcessId) => vi.waitFor(async () => expect(await isAlive(process)).toBe(false), 10_000);

describe('a process that waits for the wake of a suspended machine', () => {
  it('is what the machine wakes in, its streams and its clock as ever', async () => {
    const before = await countOf();
    const first = await processOf(machine);
    const stream = await machine.connect('http');
    stream.write('GET /stream HTTP/1.1\r\nhost: guest\r\nconnection: close\r\n\r\n');
    const whole = buffer(stream);
    await machine.suspend();
    const ready = await readyProcess(machine);
    expect(await isAlive(first)).toBe(false);
    await machine.wake();
    expect(await processOf(machine)).toEqual(ready);
    expect((await whole).toString().match(/tick \d+/g)).toEqual(Array.from({ length: 40 }, (_, i) => `tick ${i}`));
    const answer = JSON.parse((await fetchGuest(machine, '/')).text);
    expect(answer.count).toBe(before + 1);
    expect(await clockError(machine)).toBeLessThan(5_000);
  });

  it('that was killed, or does not answer, is replaced', async () => {
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      const before = await countOf();
      await machine.suspend();
      const ready = await readyProcess(machine);
      process.kill(ready.pid, signal);
      await machine.wake();
      expect(await processOf(machine)).not.toEqual(ready);
      await ended(ready);
      expect(await countOf()).toBe(before + 1);
    }
  });

  it('gives way to that of a machine suspended later; both wake, also at once', async () => {
    await machine.suspend();
    const ready = await readyProcess(machine);
    await other.suspend();
    const later = await readyProcess(other);
    await ended(ready);
    await Promise.all([machine.wake(), other.wake(), machine.wake()]);
    expect(await processOf(other)).toEqual(later);
    expect(await countOf()).toBeGreaterThan(0);
    expect(await other.exec('/bin/true', [])).toBe(0);
  });

  it('does not keep the files from being whole on disk', async () => {
    await machine.suspend();
    await readyProcess(machine);
    await vi.waitFor(async () => expect(await readRecord(machine.spec.dir)).toMatchObject({ phase: 'suspended', durable: true }), 30_000);
    await machine.wake();
    expect(await readRecord(machine.spec.dir)).toMatchObject({ phase: 'running', durable: false });
  });

  it('ends with its machine, and with all others when there shall be none', async () => {
    await other.suspend();
    const first = await readyProcess(other);
    await other.kill();
    expect(await isAlive(first)).toBe(false);
    await machine.suspend();
    const second = await readyProcess(machine);
    await vms.engine.endReady();
    expect(await isAlive(second)).toBe(false);
    await machine.wake();
    expect(await countOf()).toBeGreaterThan(0);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Machine } from './port.ts';
import { isAlive } from './qemu/process.ts';
import { isDurable, readRecord, writeRecord } from './qemu/record.ts';
import { fetchGuest } from './test/guest-server.ts';
import { shell, testMachines } from './test/machines.ts';

let vms: Awaited<ReturnType<typeof testMachines>>;
let dir: string;

beforeAll(async () => {
  vms = await testMachines();
  dir = join(vms.root, 'abandoned');
});
afterAll(() => vms.end());

/**
 * A host of its own that boots or adopts the machine and is killed without warning once it is in that state.
 */
async function hostThatDies(state: string): Promise<void> {
  const host = spawn(process.execPath, [new URL('test/abandon.ts', import.meta.url).pathname, dir, state], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(host, 'exit');
  await Promise.race([once(host.stdout, 'data'), ended.then(() => Promise.reject(new Error('the host ended early')))]);
  host.kill('SIGKILL');
  await ended;
}

async function adopted(state: string): Promise<Machine> {
  const machine = await vms.engine.adopt(dir);
  if (machine === undefined) throw new Error('nothing was adopted');
  expect(machine.state).toBe(state);
  vms.keep(machine);
  await machine.wake();
  expect(JSON.parse((await fetchGuest(machine, '/')).text).count).toBeGreaterThanOrEqual(0);
  expect((await shell(machine, 'cat /home/agent/file')).out).toBe('kept\n');
  return machine;
}

describe('after a kill -9 of the host', () => {
  it('a running machine goes on: its server, its files and its services', async () => {
    await hostThatDies('running');
    const machine = await adopted('running');
    const served = new Promise<void>((resolve) => machine.serve('egress', (stream) => (stream.end(), resolve())));
    expect(await machine.exec('node', ['-e', "require('net').connect('/run/svc/host/egress.sock').resume()"])).toBe(0);
    await served;
    await machine.kill();
  });

  it('a suspended machine wakes, and one found asleep may be abandoned and taken up again', async () => {
    await hostThatDies('suspended');
    const machine = await adopted('suspended');
    await machine.suspend();
    const record = await readRecord(dir);
    expect(record?.phase).toBe('suspended');
  });

  it('a process that waited for its wake is ended', async () => {
    await hostThatDies('ready');
    const { pid = 0, start_time: startTime = '' } = (await readRecord(dir)) ?? {};
    expect(await isAlive({ pid, startTime })).toBe(true);
    const machine = await adopted('suspended');
    expect(await isAlive({ pid, startTime })).toBe(false);
    await machine.suspend();
  });

  it('a paused machine wakes, whether its process was kept or killed as well', async () => {
    for (const kill of [false, true]) {
      await hostThatDies('paused');
      const pid = (await readRecord(dir))?.pid ?? 0;
      if (kill) process.kill(pid, 'SIGKILL');
      const machine = await adopted('suspended');
      expect((await readRecord(dir))?.pid).not.toBe(pid);
      await machine.suspend();
    }
  });

  it('a suspended machine survives a restart of the computer once its files reached the disk, not before', async () => {
    const record = await vi.waitFor(async () => {
      const found = await readRecord(dir);
      if (found === undefined || !(await isDurable(dir, found))) throw new Error('not on disk yet');
      return found;
    });
    await writeRecord(dir, { ...record, boot_id: 'an earlier one' }, record);
    const machine = await vms.engine.adopt(dir);
    expect(machine?.state).toBe('suspended');
    await machine?.wake();
    await machine?.kill();
    // What a power cut after the wake may leave: the record as it was, its mark taken back.
    await writeRecord(dir, { ...record, boot_id: 'an earlier one' }, record);
    expect(await vms.engine.adopt(dir)).toBeUndefined();
    await writeRecord(dir, { ...record, durable: false, boot_id: 'an earlier one' });
    expect(await vms.engine.adopt(dir)).toBeUndefined();
  });

  it('what cannot be taken back is cleaned up: no process, no memory file', async () => {
    await hostThatDies('running');
    const record = await readRecord(dir);
    if (record?.pid === undefined || record.start_time === undefined) throw new Error('no record');
    await writeFile(join(dir, 'machine.json'), '{ torn');
    expect(await vms.engine.adopt(dir)).toBeUndefined();
    expect(await isAlive({ pid: record.pid, startTime: record.start_time })).toBe(false);
    expect(await readdir(dir)).toEqual(['machine.json']);
    expect(await vms.engine.adopt(join(vms.root, 'never-was'))).toBeUndefined();
  });
});

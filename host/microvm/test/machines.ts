// Machines for tests: one engine and one folder per test file; everything started is ended and deleted.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { createEngine, type EngineOptions } from '../engine.ts';
import { ensureImages } from '../images/images.ts';
import type { Machine, MachineSpec } from '../port.ts';
import { isAlive, type ProcessId } from '../qemu/process.ts';
import { readRecord } from '../qemu/record.ts';

export async function testMachines(options: Pick<EngineOptions, 'ready'> = {}) {
  const cacheDir = cacheFolder(process.env);
  const images = await ensureImages({ cacheDir });
  const engine = createEngine({ cacheDir, images: () => images, ...options });
  const root = await mkdtemp(join(tmpdir(), 'svc-vm-test-'));
  const kept: Machine[] = [];
  const keep = (machine: Machine): Machine => {
    kept.push(machine);
    return machine;
  };
  const specOf = (id: string, change: Partial<MachineSpec> = {}): MachineSpec => ({
    id,
    dir: join(root, id),
    disks: { base: images.base },
    memoryMib: 256,
    cpus: 1,
    scratchMib: 64,
    ...change,
  });
  return {
    engine,
    images,
    root,
    keep,
    specOf,
    boot: async (id: string, change?: Partial<MachineSpec>) => keep(await engine.boot(specOf(id, change))),
    end: async () => {
      await Promise.all([engine.endReady(), ...kept.map((machine) => machine.kill())]);
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Of a suspended machine: the process that waits for its wake, once it is noted. */
export async function readyProcess({ spec }: Machine): Promise<ProcessId> {
  for (;;) {
    const { pid = 0, start_time: startTime = '' } = (await readRecord(spec.dir)) ?? {};
    if (await isAlive({ pid, startTime })) return { pid, startTime };
    await delay(20);
  }
}

/** Runs a shell line as the agent (or root of the guest) and answers what it said. */
export async function shell(machine: Machine, line: string, user: 'agent' | 'root' = 'agent'): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const code = await machine.exec('/bin/sh', ['-c', line], {
    user,
    onOutput: (stream, chunk) => (said[stream === 'stdout' ? 'out' : 'err'] += Buffer.from(chunk).toString()),
  });
  return { code, ...said };
}

/**
 * Python for root of a guest: takes the channel's port from the first process (it can be opened once only, so
 * not by its name) and writes junk.
 */
export const channelJunk = `
import ctypes, os
call = ctypes.CDLL(None, use_errno=True).syscall
pid = call(434, 1, 0)  # pidfd_open
for fd in os.listdir('/proc/1/fd'):
    if os.readlink(f'/proc/1/fd/{fd}').startswith('/dev/vport'):
        port = call(438, pid, int(fd), 0)  # pidfd_getfd
        if port < 0: raise OSError(ctypes.get_errno(), 'pidfd_getfd')
        os.set_blocking(port, True)
        while True: os.write(port, os.urandom(100000))
`;

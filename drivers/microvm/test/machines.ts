// Machines for tests: one engine and one folder per test file; everything started is ended and deleted.
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../engine.ts';
import { ensureImages } from '../images/images.ts';
import type { Machine, MachineSpec } from '../port.ts';

export async function testMachines() {
  const cacheDir = join(homedir(), '.cache/svc');
  const images = await ensureImages({ cacheDir });
  const engine = createEngine({ cacheDir, images });
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
      await Promise.all(kept.map((machine) => machine.kill()));
      await rm(root, { recursive: true, force: true });
    },
  };
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

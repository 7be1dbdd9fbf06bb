// What is done to the installation: kill -9, or a pause after which everything the others waited for comes at once.
import { readlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRecord } from '#host/microvm/qemu/record.ts';
import { type Identity, signal } from '#stack/process.ts';
import type { Chance } from './random.ts';
import type { PartName, World } from './world.ts';

export interface Fault {
  what: 'kill' | 'pause';
  target: PartName | 'machine';
  /** Milliseconds after the round began. */
  at: number;
  /** Of a pause, milliseconds. */
  forMs: number;
  /** Chooses among several machines. */
  nth: number;
}

const targets = ['worker', 'worker', 'api', 'api', 'temporal', 'postgres', 'host', 'machine', 'imports'] as const;

export function planFault(chance: Chance, withinMs: number): Fault {
  const target = chance.pick(targets);
  const what = chance.number() < 0.75 ? 'kill' : 'pause';
  return { what, target, at: chance.between(0, withinMs), forMs: chance.between(500, 6_000), nth: chance.between(0, 1_000) };
}

/** What was hit. */
export interface Hit {
  /** A machine that had saved what it held, before it was killed and still after: nothing of it may be lost. */
  saved: boolean;
}

/** Undefined when there was nothing to hit (it was down already). */
export async function commit(world: World, fault: Fault): Promise<Hit | undefined> {
  const victim = await find(world, fault);
  if (!victim) return undefined;
  if (fault.what === 'kill') {
    const isSaved = fault.target === 'machine' && world.vm ? await savedIn(victim.pid) : () => Promise.resolve(false);
    const before = await isSaved();
    return signal(victim, 'SIGKILL') ? { saved: before && (await isSaved()) } : undefined;
  }
  if (!signal(victim, 'SIGSTOP')) return undefined;
  await sleep(fault.forMs);
  signal(victim, 'SIGCONT');
  return { saved: false };
}

/** Whether the machine that this process holds is whole in its files, as it notes itself. */
async function savedIn(pid: number): Promise<() => Promise<boolean>> {
  const dir = dirname(await readlink(`/proc/${pid}/cwd`).catch(() => ''));
  return async () => {
    const record = await readRecord(dir);
    return record?.pid === pid && record.phase === 'suspended';
  };
}

async function find(world: World, { target, nth }: Fault): Promise<Identity | undefined> {
  if (target !== 'machine') return world.processOf(target);
  const machines = (await world.machines()).sort((a, b) => a.pid - b.pid);
  return machines[nth % Math.max(1, machines.length)];
}

// What is done to the installation: kill -9, a pause after which everything the others waited for comes at
// once, a disk that is full for a while, a workflow that is terminated, or an engine that has forgotten all
// workflows.
import { readlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRecord } from '#host/microvm/qemu/record.ts';
import { type Identity, signal } from '#stack/process.ts';
import { fillDisk } from '../support/fill-disk.ts';
import { forgetAll, terminateOne } from './engine.ts';
import type { Chance } from './random.ts';
import { smallDisk } from './small-disk.ts';
import type { PartName, World } from './world.ts';

export interface Fault {
  what: 'kill' | 'pause' | 'fill' | 'terminate' | 'empty';
  target: PartName | 'machine' | 'disk' | 'workflow' | 'engine';
  /** Milliseconds after the round began. */
  at: number;
  /** Of a pause, and of a disk without room, milliseconds. */
  forMs: number;
  /** Chooses among several machines, or workflows. */
  nth: number;
}

const targets = ['worker', 'worker', 'api', 'api', 'temporal', 'postgres', 'host', 'machine', 'imports'] as const;

export function planFault(chance: Chance, withinMs: number): Fault {
  if (smallDisk() !== undefined && chance.fork('disk').number() < 0.3)
    return { what: 'fill', target: 'disk', at: chance.between(0, withinMs), forMs: chance.between(500, 6_000), nth: 0 };
  const engine = chance.fork('engine').number();
  if (engine < 0.12) {
    const hit = engine < 0.1 ? ({ what: 'terminate', target: 'workflow' } as const) : ({ what: 'empty', target: 'engine' } as const);
    return { ...hit, at: chance.between(0, withinMs), forMs: 0, nth: chance.between(0, 1_000) };
  }
  const target = chance.pick(targets);
  const what = chance.number() < 0.75 ? 'kill' : 'pause';
  return { what, target, at: chance.between(0, withinMs), forMs: chance.between(500, 6_000), nth: chance.between(0, 1_000) };
}

/** What was hit. */
export interface Hit {
  /**
   * A machine that had saved what it held, before it was killed and still after: nothing of it may be lost.
   */
  saved: boolean;
}

/** Undefined when there was nothing to hit (it was down already). */
export async function commit(world: World, fault: Fault): Promise<Hit | undefined> {
  const disk = smallDisk();
  if (fault.what === 'fill' && disk !== undefined) {
    const giveBack = fillDisk(disk);
    await sleep(fault.forMs);
    giveBack();
    return { saved: false };
  }
  if (fault.what === 'terminate' || fault.what === 'empty') {
    const work = fault.what === 'empty' ? forgetAll(world) : terminateOne(world, fault.nth);
    // The engine itself may be down.
    return (await work.catch(() => false)) ? { saved: false } : undefined;
  }
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
  if (target === 'disk' || target === 'workflow' || target === 'engine') return undefined;
  if (target !== 'machine') return world.processOf(target);
  const machines = (await world.machines()).sort((a, b) => a.pid - b.pid);
  return machines[nth % Math.max(1, machines.length)];
}

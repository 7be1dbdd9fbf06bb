// What is done to the installation: kill -9, or a pause after which everything the others waited for comes at once.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Identity, signal } from '../../stack/process.ts';
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

const targets = ['worker', 'worker', 'api', 'api', 'temporal', 'postgres', 'host', 'machine'] as const;

export function planFault(chance: Chance, withinMs: number): Fault {
  const target = chance.pick(targets);
  const what = chance.number() < 0.75 ? 'kill' : 'pause';
  return { what, target, at: chance.between(0, withinMs), forMs: chance.between(500, 6_000), nth: chance.between(0, 1_000) };
}

/** Resolves with what was hit; undefined when there was nothing to hit (it was down already). */
export async function commit(world: World, fault: Fault): Promise<number | undefined> {
  const victim = await find(world, fault);
  if (!victim) return undefined;
  if (fault.what === 'kill') return signal(victim, 'SIGKILL') ? victim.pid : undefined;
  if (!signal(victim, 'SIGSTOP')) return undefined;
  await sleep(fault.forMs);
  signal(victim, 'SIGCONT');
  return victim.pid;
}

async function find(world: World, { target, nth }: Fault): Promise<Identity | undefined> {
  if (target !== 'machine') return world.processOf(target);
  const machines = (await world.machines()).sort((a, b) => a.pid - b.pid);
  return machines[nth % Math.max(1, machines.length)];
}

// An agent's share of processor time (cpu_millis) as credit: it may burst, and is held to its share once it
// has used more than it earned.
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../resources/files.ts';

/** Processor time an agent may use at once beyond its share, ms. */
const burstMs = 20_000;
/** A throttled agent is let go when it has earned this much again. */
const enoughMs = 2_000;
const tickMs = 100; // of /proc: hundredths of a second

interface Governed {
  id: string;
  machineDir: string;
  cpuMillis: number;
}

interface Account {
  credit: number;
  pid: number;
  used: number;
  throttled: boolean;
}

export interface Throttle {
  hold(id: string, pid: number, cpuMillis: number): Promise<void>;
  free(id: string, pid: number): Promise<void>;
  forget(id: string): Promise<void>;
}

export interface CpuGovernor {
  /** Call about once a second with the machines that run. */
  round(machines: Governed[], elapsedMs: number): Promise<void>;
}

/**
 * `costFactor`: host milliseconds that one guest millisecond costs; about 10 under emulation, where a share
 * means guest time too.
 */
export function createCpuGovernor(throttle: Throttle, costFactor: () => number, pidOf = pidIn, usedBy = processTime): CpuGovernor {
  const accounts = new Map<string, Account>();
  async function one({ id, machineDir, cpuMillis }: Governed, elapsedMs: number): Promise<void> {
    const pid = await pidOf(machineDir);
    const used = pid === undefined ? undefined : await usedBy(pid);
    if (pid === undefined || used === undefined) return;
    const before = accounts.get(id) ?? { credit: burstMs, pid, used, throttled: false };
    // Another process since the last round: the machine woke, and its count started again.
    const spent = before.pid === pid ? used - before.used : used;
    const credit = Math.min(burstMs, before.credit + (elapsedMs * cpuMillis) / 1_000 - spent / costFactor());
    const throttled = before.throttled && before.pid === pid ? credit < enoughMs : credit < 0;
    accounts.set(id, { credit: Math.max(credit, -burstMs), pid, used, throttled });
    if (throttled && (!before.throttled || before.pid !== pid)) await throttle.hold(id, pid, cpuMillis * costFactor());
    else if (!throttled && before.throttled) await throttle.free(id, pid);
  }
  return {
    async round(machines, elapsedMs) {
      const present = new Set(machines.map((machine) => machine.id));
      for (const id of accounts.keys()) {
        if (present.has(id)) continue;
        await throttle.forget(id);
        // Its credit after a sleep is at most a full one; a new machine starts full as well.
        accounts.delete(id);
      }
      await Promise.all(machines.map((machine) => one(machine, elapsedMs).catch(() => undefined)));
    },
  };
}

async function pidIn(machineDir: string): Promise<number | undefined> {
  return (await readJson(join(machineDir, 'machine.json'), z.object({ pid: z.int().optional() })))?.pid;
}

/** User and system time of a process, ms. */
async function processTime(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields === undefined ? undefined : ((Number(fields[11]) + Number(fields[12])) * 1_000) / tickMs;
}

export interface CpuLimits {
  throttle: Throttle;
  means: 'cgroup2' | 'cgroup1' | 'nice';
  /** Removes the groups that no machine is in. */
  close(): Promise<void>;
}

/** Control groups (version 2 or 1) where this process may make them, else a low priority. */
export async function createThrottle(root: string, name: string): Promise<CpuLimits> {
  const period = 100_000;
  const group = async (dir: string, file: string, quota: (cpuMillis: number) => string, none: string): Promise<Throttle> => ({
    async hold(id, pid, cpuMillis) {
      await mkdir(join(dir, id), { recursive: true });
      await writeFile(join(dir, id, file), quota(Math.max(10, cpuMillis)));
      await writeFile(join(dir, id, 'cgroup.procs'), String(pid));
    },
    free: (id) => writeFile(join(dir, id, file), none),
    forget: (id) => rmdir(join(dir, id)).catch(() => undefined),
  });
  const two = join(root, name);
  try {
    if (!(await readFile(join(root, 'cgroup.controllers'), 'utf8')).split(/\s/).includes('cpu')) throw new Error('no cpu controller');
    await writeFile(join(root, 'cgroup.subtree_control'), '+cpu');
    await swept(two);
    await writeFile(join(two, 'cgroup.subtree_control'), '+cpu');
    return { means: 'cgroup2', close: () => removed(two), throttle: await group(two, 'cpu.max', (millis) => `${millis * 100} ${period}`, `max ${period}`) };
  } catch {
    // Not version 2, or not ours to change.
  }
  const one = join(root, 'cpu', name);
  try {
    await swept(one);
    await readFile(join(one, 'cpu.cfs_quota_us'));
    return { means: 'cgroup1', close: () => removed(one), throttle: await group(one, 'cpu.cfs_quota_us', (millis) => String(millis * 100), '-1') };
  } catch {
    // Nor version 1.
  }
  const nice = (pid: number, priority: number): void => {
    try {
      setPriority(pid, priority);
    } catch {
      // Only root may raise a priority again; the process keeps the low one until its next wake.
    }
  };
  return {
    means: 'nice',
    close: async () => undefined,
    throttle: { hold: async (_id, pid) => nice(pid, 15), free: async (_id, pid) => nice(pid, 0), forget: async () => undefined },
  };
}

async function swept(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await removeGroups(dir);
}

async function removed(dir: string): Promise<void> {
  await removeGroups(dir).catch(() => undefined);
  await rmdir(dir).catch(() => undefined);
}

async function removeGroups(dir: string): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true })) if (entry.isDirectory()) await rmdir(join(dir, entry.name)).catch(() => undefined);
}

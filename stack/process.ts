// Which process is meant: a pid is reused, a pid together with its start time is not.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { errorCode } from './files.ts';

export const Identity = z.object({
  pid: z.int().positive(),
  /** Opaque; equal for the same process, different after a reuse of the pid or a reboot. */
  start_time: z.string(),
});
export type Identity = z.infer<typeof Identity>;

/** The identity of a living process; undefined when there is none, or only a zombie. */
export function identify(pid: number): Identity | undefined {
  if (process.platform !== 'linux') return identifyByPs(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name field may hold spaces and parentheses: count from its end. State is field 3, start time field
    // 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    if (state === undefined || ticks === undefined || state === 'Z' || state === 'X') return undefined;
    return { pid, start_time: `${bootId()}/${ticks}` };
  } catch {
    return undefined;
  }
}

export function isAlive(identity: Identity): boolean {
  return identify(identity.pid)?.start_time === identity.start_time;
}

/** The program's path and arguments, joined by spaces; empty when it cannot be read. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Living processes whose environment holds exactly `NAME=value`, seen as far as this user may look. */
export function processesWithEnv(assignment: string): Identity[] {
  return processes((pid) => `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`.includes(`\0${assignment}\0`));
}

/**
 * Living processes of a program (the file's name starts with `program`) that work in `folder` or below it.
 */
export function processesIn(program: string, folder: string): Identity[] {
  return processes((pid) => {
    const [name = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0', 1);
    return basename(name).startsWith(program) && `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${realpathSync(folder)}/`);
  });
}

/** Sends a signal to that very process; false when it is gone already. */
export function signal(identity: Identity, name: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, name);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
}

/** Asks with `name`, waits up to `graceMs`, then kills. Resolves true when the polite way was enough. */
export async function stopProcess(identity: Identity, name: NodeJS.Signals, graceMs: number): Promise<boolean> {
  signal(identity, name);
  if (await gone(identity, graceMs)) return true;
  signal(identity, 'SIGKILL');
  if (!(await gone(identity, 10_000))) throw new Error(`process ${identity.pid} does not end, even when killed`);
  return false;
}

/** Resolves true as soon as the process has ended, false when it still lives after `withinMs`. */
export async function gone(identity: Identity, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (isAlive(identity)) {
    if (performance.now() >= deadline) return false;
    await sleep(20);
  }
  return true;
}

function processes(matches: (pid: number) => boolean): Identity[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      if (!matches(pid)) return [];
    } catch {
      return []; // gone meanwhile, or another user's
    }
    return identify(pid) ?? [];
  });
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function identifyByPs(pid: number): Identity | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state, ...started] = line.split(/\s+/);
    if (state === undefined || state.startsWith('Z')) return undefined;
    return { pid, start_time: started.join(' ') };
  } catch {
    return undefined;
  }
}

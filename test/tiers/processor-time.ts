// Processor seconds of processes, from /proc: time does not show what a test costs where others use the
// machine, this does.
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ of Linux, the same on every architecture that Node runs on. */
const TICKS_A_SECOND = 100;

interface ProcessTime {
  parent: number;
  /** Its own, and that of its children which it has waited for. */
  seconds: number;
}

/** Undefined: it has ended. */
export function timeOf(pid: number | 'self'): ProcessTime | undefined {
  try {
    // The name before it may hold spaces and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, seconds: (user + system + childrenUser + childrenSystem) / TICKS_A_SECOND };
  } catch {
    return undefined;
  }
}

/** Of all processes that are there. */
export function allTimes(): Map<number, ProcessTime> {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return new Map(pids.map((pid) => [pid, timeOf(pid)] as const).filter((entry): entry is [number, ProcessTime] => entry[1] !== undefined));
}

/** Of a process and all below it. */
export function treeSeconds(times: ReadonlyMap<number, ProcessTime>, root: number): number {
  const below = Map.groupBy(times, ([, { parent }]) => parent);
  const sum = (pid: number): number => (times.get(pid)?.seconds ?? 0) + (below.get(pid) ?? []).reduce((total, [child]) => total + sum(child), 0);
  return sum(root);
}

/** What a process was started with; undefined where it has ended, or is another user's. */
export function environmentOf(pid: number, name: string): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .find((entry) => entry.startsWith(`${name}=`));
    return line?.slice(name.length + 1);
  } catch {
    return undefined;
  }
}

// The identity of a process: its pid may have been given to another since.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface ProcessId {
  pid: number;
  /** Clock ticks after the host's start. */
  startTime: string;
}

export const bootId = async (): Promise<string> => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();

export async function processId(pid: number): Promise<ProcessId | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // the name before may hold anything
  const [state] = fields;
  const startTime = fields[19];
  return startTime === undefined || state === 'Z' || state === 'X' ? undefined : { pid, startTime };
}

export async function isAlive(id: ProcessId): Promise<boolean> {
  return (await processId(id.pid))?.startTime === id.startTime;
}

/**
 * The process that works in that folder: how a QEMU is found whose starter died before it could note the pid.
 */
export async function processIn(folder: string): Promise<ProcessId | undefined> {
  for (const entry of await readdir('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    if (cwd === folder) return processId(pid);
  }
  return undefined;
}

/** Ends it and waits until its memory is free. */
export async function endProcess(id: ProcessId): Promise<void> {
  for (let attempt = 0; await isAlive(id); attempt++) {
    try {
      if (attempt % 100 === 0) process.kill(id.pid, 'SIGKILL');
    } catch {
      return;
    }
    await delay(Math.min(1 + attempt, 20));
  }
}

// What the supervisor notes about each part: `.svc/run/<part>.json` and, for other programs, `<part>.pid`.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readText, writeWhole } from './files.ts';
import { Identity } from './process.ts';

export const PartRecord = z.object({
  part: z.string(),
  state: z.enum(['waiting', 'starting', 'healthy', 'unhealthy', 'restarting', 'done', 'skipped', 'stopped']),
  address: z.string().optional(),
  process: Identity.optional(),
  /** Milliseconds since the epoch: when the process started; for a task, when it ended. */
  since: z.int().optional(),
  /** Starts after the first one, since the supervisor began. */
  restarts: z.int(),
  /** Why it is in this state, where that needs saying. */
  note: z.string().optional(),
});
export type PartRecord = z.infer<typeof PartRecord>;

export const SupervisorRecord = z.object({
  process: Identity,
  since: z.int(),
  /** Tells whether it runs with the settings of the one who asks. */
  settings: z.string(),
  /**
   * Names of all parts, in the order in which they are shown; empty while it is still deciding where they
   * will be.
   */
  parts: z.array(z.string()),
});
export type SupervisorRecord = z.infer<typeof SupervisorRecord>;

export function writeRecord(run: string, record: PartRecord): void {
  writeWhole(join(run, `${record.part}.json`), `${JSON.stringify(record)}\n`);
  const pidFile = join(run, `${record.part}.pid`);
  if (record.process) writeWhole(pidFile, `${record.process.pid}\n`);
  else rmSync(pidFile, { force: true });
}

/** Undefined when there is none, or when it is damaged. */
export function readRecord(run: string, part: string): PartRecord | undefined {
  return read(join(run, `${part}.json`), PartRecord);
}

export function writeSupervisor(run: string, record: SupervisorRecord): void {
  writeWhole(join(run, 'supervisor.json'), `${JSON.stringify(record)}\n`);
  writeWhole(join(run, 'supervisor.pid'), `${record.process.pid}\n`);
}

export function readSupervisor(run: string): SupervisorRecord | undefined {
  return read(join(run, 'supervisor.json'), SupervisorRecord);
}

/** Every part that has a record. */
export function recordedParts(run: string): PartRecord[] {
  const names = readText(join(run, 'supervisor.json')) === undefined ? [] : (readSupervisor(run)?.parts ?? []);
  const namesOnDisk = readdirSync(run).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []));
  return [...new Set([...names, ...namesOnDisk])].flatMap((name) => readRecord(run, name) ?? []);
}

function read<T>(path: string, shape: z.ZodType<T>): T | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

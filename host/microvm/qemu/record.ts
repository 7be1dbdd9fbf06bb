// What a machine's folder says about it, so that any later process can take it back.
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

export const Record = z.object({
  version: z.literal(1),
  id: z.string(),
  memory_mib: z.number().int(),
  cpus: z.number().int(),
  scratch_mib: z.number().int(),
  swap_mib: z.number().int().optional(),
  data: z.string().optional(),
  base: z.string(),
  guest: z.string().optional(),
  layer: z.string().optional(),
  kernel: z.string(),
  initrd: z.string(),
  append: z.string(),
  accelerator: z.enum(['kvm', 'tcg']),
  clock_rate_khz: z.number(),
  debug_console: z.boolean(),
  /**
   * starting: never answered yet; dies with its starter. running: owned by `pid` (or paused). suspended:
   * memory and state files are whole, though a process that does not run may still hold them (paused).
   * waking: a process loads them but has not run yet, so they still are.
   */
  phase: z.enum(['starting', 'running', 'suspended', 'waking']),
  pid: z.number().int().optional(),
  start_time: z.string().optional(),
  boot_id: z.string(),
  uid: z.number().int().optional(),
  /**
   * The files of a suspended machine reached the disk: it survives a power cut, unless its mark has been
   * taken back since (see `isDurable`).
   */
  durable: z.boolean(),
  /** Its memory is a template's, mapped copy-on-write: there is no file of it to go back to. */
  shared_memory: z.boolean().optional(),
});
export type Record = z.infer<typeof Record>;

/**
 * What stands on the disk after a power cut is the record, and beside it the mark: one byte that is
 * overwritten in place. To take it back a machine that wakes waits for one write, not for a commit of the
 * file system's journal. `before`: the record that this one follows.
 */
export async function writeRecord(dir: string, record: Record, before?: Pick<Record, 'durable'>): Promise<void> {
  const wasDurable = before?.durable ?? false;
  const unmarked = wasDurable && !record.durable && (await mark(dir, notDurable));
  if (record.durable && !wasDurable) await mark(dir, notDurable, 'w');
  const sync = record.durable || (wasDurable && !unmarked);
  const path = join(dir, 'machine.json');
  const file = await open(`${path}.partial`, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(record));
    if (sync) await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.partial`, path);
  if (sync) await syncPath(dir);
  if (record.durable && !wasDurable) await mark(dir, durable);
}

/**
 * Whether the files are whole after a power cut too. A machine without a mark is from a version that had
 * none.
 */
export async function isDurable(dir: string, record: Record): Promise<boolean> {
  return record.durable && (await readFile(join(dir, markName), 'utf8').catch(() => durable)) === durable;
}

export const markName = 'durable';
const durable = '1';
const notDurable = '0';

/** Answers false where there is no mark to overwrite. */
async function mark(dir: string, value: string, flags: 'r+' | 'w' = 'r+'): Promise<boolean> {
  const file = await open(join(dir, markName), flags, 0o600).catch((error: unknown) => {
    if (flags === 'r+' && isNodeError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return false;
  try {
    await file.write(value, 0);
    await file.datasync();
    return true;
  } finally {
    await file.close();
  }
}

const isNodeError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'code' in error;

export async function readRecord(dir: string): Promise<Record | undefined> {
  try {
    return Record.parse(JSON.parse(await readFile(join(dir, 'machine.json'), 'utf8')));
  } catch {
    return undefined;
  }
}

export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

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
   * starting: never answered yet; dies with its starter. running: owned by `pid` (or paused).
   * suspended: memory and state files are whole, though a process that does not run may still hold them (paused). waking: a process loads them but has not run yet, so they still are.
   */
  phase: z.enum(['starting', 'running', 'suspended', 'waking']),
  pid: z.number().int().optional(),
  start_time: z.string().optional(),
  boot_id: z.string(),
  uid: z.number().int().optional(),
  /** The files of a suspended machine reached the disk: it survives a power cut. */
  durable: z.boolean(),
  /** Its memory is a template's, mapped copy-on-write: there is no file of it to go back to. */
  shared_memory: z.boolean().optional(),
});
export type Record = z.infer<typeof Record>;

export async function writeRecord(dir: string, record: Record, options: { sync: boolean } = { sync: false }): Promise<void> {
  const path = join(dir, 'machine.json');
  const file = await open(`${path}.partial`, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(record));
    if (options.sync) await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.partial`, path);
  if (options.sync) await syncPath(dir);
}

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

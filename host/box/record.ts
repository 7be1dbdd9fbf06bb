// What a box's folder says of it, so that a restarted host takes it back. Its host key is not in it: that
// stays in the guest.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BOX_STATES } from '#contract/states.ts';
import { readJson, writeAtomic } from '../resources/files.ts';

const BoxRecord = z.object({
  box_id: z.string(),
  state: z.enum(BOX_STATES),
  seeded: z.boolean(),
  /** What its machine has, MiB. */
  machine_mib: z.int(),
  last_used_at: z.number(),
});
export type BoxRecord = z.infer<typeof BoxRecord>;

const file = (dir: string): string => join(dir, 'box.json');

export async function saveBox(dir: string, record: BoxRecord): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o711 });
  await writeAtomic(file(dir), JSON.stringify(record));
}

export const loadBox = (dir: string): Promise<BoxRecord | undefined> => readJson(file(dir), BoxRecord);

/** The disk with its files. */
export const diskOf = (dir: string): string => join(dir, 'files.ext4');

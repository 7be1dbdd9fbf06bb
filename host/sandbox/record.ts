// What a sandbox leaves on disk so that a restarted host takes it back or ends it. Its environment is not in
// it: that stays in the guest.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CreateBody } from '#drivers/sandbox/wire.ts';
import { readJson, writeAtomic } from '../resources/files.ts';

const SandboxRecord = CreateBody.omit({ env: true }).extend({
  state: z.enum(['starting', 'running', 'stopped']),
  /** Name of its machine's folder. */
  machine: z.string(),
  /** What the machine has, MiB; at least memory_mib. */
  machine_mib: z.int(),
  created_at: z.number(),
  last_used_at: z.number(),
});
export type SandboxRecord = z.infer<typeof SandboxRecord>;

const file = (dir: string): string => join(dir, 'sandbox.json');

export async function saveSandbox(dir: string, record: SandboxRecord): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeAtomic(file(dir), JSON.stringify(record));
}

export const loadSandbox = (dir: string): Promise<SandboxRecord | undefined> => readJson(file(dir), SandboxRecord);

// Folders for work in flight, gone when it ends.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from './ctx.ts';

/** `purpose` begins the folder's name, for who finds one that a crash has left. */
export async function inScratch<T>({ drivers }: Pick<Ctx, 'drivers'>, purpose: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(await drivers.scratch(), `${purpose}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// Which state of Debian the images are made of. It is part of their names, so that newer ones stand beside
// those that machines still use. Before the first refresh there is no note, and the images are of the day
// they were made.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Edition = z.strictObject({
  /** Version of the kernel's package. */
  kernel: z.string().optional(),
  /** Hash of the versions of the base image's packages. */
  debian: z.string().optional(),
});
export type Edition = z.infer<typeof Edition>;

const fileOf = (dir: string): string => join(dir, 'edition.json');

/** @param dir where the images are */
export async function readEdition(dir: string): Promise<Edition> {
  const text = await readFile(fileOf(dir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return Edition.parse(JSON.parse(text));
}

/** From now on, machines start on these. */
export async function writeEdition(dir: string, edition: Edition): Promise<void> {
  const draft = `${fileOf(dir)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(edition)}\n`, { mode: 0o644 });
  await rename(draft, fileOf(dir));
}

// Objects as files: written to a temporary name on the same volume, flushed, then renamed, so that a key has
// all of an object or none.
import { createReadStream } from 'node:fs';
import { glob, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { scratchFolder } from '../scratch/folder.ts';
import { keySegments } from './keys.ts';
import type { ListedStorage } from './port.ts';
import { spooled } from './spool.ts';

export function diskStorage({ root }: { root: string }): ListedStorage {
  // "@" is in no key, so object "a" and object "a/b" can both be there.
  const fileOf = (key: string): string => `${join(root, 'objects', ...keySegments(key))}@`;

  const moveInto = async (key: string, temporary: string): Promise<void> => {
    const file = fileOf(key);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await rename(temporary, file);
    await flushFolder(dirname(file));
  };
  const sizeOf = async (key: string): Promise<number | undefined> => {
    try {
      const stats = await stat(fileOf(key));
      return stats.isFile() ? stats.size : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };

  return {
    ...spooled(scratchFolder(join(root, 'scratch')), moveInto),
    get: async (key, range) => {
      // Opened before it is handed out: a reader keeps the object it asked for, even when it is deleted
      // meanwhile.
      const handle = await open(fileOf(key));
      return createReadStream('', { fd: handle, ...range });
    },
    size: sizeOf,
    exists: async (key) => (await sizeOf(key)) !== undefined,
    delete: async (key) => rm(fileOf(key), { force: true }),
    async *list(folder) {
      const below = keySegments(folder);
      for await (const file of glob('**/*@', { cwd: join(root, 'objects', ...below) })) yield [...below, ...file.slice(0, -1).split(sep)].join('/');
    },
  };
}

/** The new name itself must survive a power cut, or the database would point at nothing. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

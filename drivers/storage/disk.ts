// Objects as files: written to a temporary name on the same volume, flushed, then renamed, so that a key has all of an object or none.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { keySegments } from './keys.ts';
import type { BlobStorage } from './port.ts';

/** What a killed process left in the scratch folder is dead after this long: no upload takes a day. */
const staleScratchMs = 24 * 3_600_000;

export function diskStorage({ root }: { root: string }): BlobStorage {
  const scratchFolder = join(root, 'scratch');
  let scratchReady: Promise<string> | undefined;

  const scratch = (): Promise<string> => {
    scratchReady ??= prepareScratch(scratchFolder).catch((error: unknown) => {
      scratchReady = undefined;
      throw error;
    });
    return scratchReady;
  };
  // "@" is in no key, so object "a" and object "a/b" can both be there.
  const fileOf = (key: string): string => `${join(root, 'objects', ...keySegments(key))}@`;

  return {
    scratch,
    put: async (key, body) => {
      const file = fileOf(key);
      const temporary = join(await scratch(), `put-${randomUUID()}`);
      try {
        const written = await writeFlushed(temporary, body);
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        await rename(temporary, file);
        await flushFolder(dirname(file));
        return written;
      } catch (error) {
        body.destroy();
        await rm(temporary, { force: true });
        throw error;
      }
    },
    get: async (key) => {
      // Opened before it is handed out: a reader keeps the object it asked for, even when it is deleted meanwhile.
      const handle = await open(fileOf(key));
      return createReadStream('', { fd: handle });
    },
    exists: async (key) => {
      try {
        return (await stat(fileOf(key))).isFile();
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    },
    delete: async (key) => rm(fileOf(key), { force: true }),
  };
}

async function writeFlushed(file: string, body: Readable): Promise<{ size_bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const piece of body) {
      const bytes = asBytes(piece);
      hash.update(bytes);
      size += bytes.length;
      await handle.writeFile(bytes);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { size_bytes: size, sha256: hash.digest('hex') };
}

/** The new name itself must survive a power cut, or the database would point at nothing. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

async function prepareScratch(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const age = await stat(path).then(
      (s) => Date.now() - s.mtimeMs,
      () => 0,
    );
    if (age > staleScratchMs) await rm(path, { recursive: true, force: true });
  }
  return folder;
}

function asBytes(piece: unknown): Uint8Array {
  if (piece instanceof Uint8Array) return piece;
  if (typeof piece === 'string') return Buffer.from(piece);
  throw new TypeError('an object is stored from a stream of bytes');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

// How objects come in: to a local file first, hashed on the way; then length and hash are known, and the
// driver takes the file into place whole.
import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keySegments } from './keys.ts';
import type { BlobStorage, Stored } from './port.ts';

/** `place` puts a whole file under a key, atomically; the file may be gone afterwards. */
export function spooled(
  scratch: () => Promise<string>,
  place: (key: string, file: string, stored: Stored) => Promise<void>,
): Pick<BlobStorage, 'put' | 'stage'> {
  const stage: BlobStorage['stage'] = async (body) => {
    const file = join(await scratch(), `put-${randomUUID()}`);
    const drop = (): Promise<void> => rm(file, { force: true });
    try {
      const stored = await writeFlushed(file, body);
      return { ...stored, drop, keep: (key) => place(key, file, stored).finally(drop) };
    } catch (error) {
      await drop();
      throw error;
    }
  };
  return {
    stage,
    async put(key, body) {
      // Before anything is read of the body.
      keySegments(key);
      const { keep, size_bytes, sha256 } = await stage(body).catch((error: unknown) => {
        body.destroy();
        throw error;
      });
      await keep(key);
      return { size_bytes, sha256 };
    },
  };
}

/** Writes the stream to a new file, flushed to the disk. */
async function writeFlushed(file: string, body: AsyncIterable<unknown>): Promise<Stored> {
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

function asBytes(piece: unknown): Uint8Array {
  if (piece instanceof Uint8Array) return piece;
  if (typeof piece === 'string') return Buffer.from(piece);
  throw new TypeError('an object is stored from a stream of bytes');
}

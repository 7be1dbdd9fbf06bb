// Uploads in flight: written to a local file and hashed on the way, whatever keeps them afterwards.
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stored } from './port.ts';

/** What a killed process left in the scratch folder is dead after this long: no upload takes a day. */
const staleScratchMs = 24 * 3_600_000;

/** The folder, made and cleared of what is stale when first asked for. */
export function scratchFolder(folder: string): () => Promise<string> {
  let ready: Promise<string> | undefined;
  return () => {
    ready ??= prepare(folder).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    return ready;
  };
}

async function prepare(folder: string): Promise<string> {
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

/** Writes the stream to a new file, flushed to the disk. `onBytes` sees every piece before it is written, and may throw to end it. */
export async function writeFlushed(file: string, body: AsyncIterable<unknown>, onBytes?: (bytes: Uint8Array) => void): Promise<Stored> {
  const hash = createHash('sha256');
  let size = 0;
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const piece of body) {
      const bytes = asBytes(piece);
      onBytes?.(bytes);
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

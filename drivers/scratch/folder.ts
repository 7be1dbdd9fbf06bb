// A folder on the process's own disk for work in flight: projects being unpacked, uploads whose length and
// hash are not known yet.
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What a killed process left in the folder is dead after this long: no work in flight takes a day. */
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

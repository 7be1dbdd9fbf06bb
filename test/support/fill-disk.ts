// A disk without room, for as long as a test wants.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Takes all the room that the disk of a folder has. Answers what gives it back. */
export function fillDisk(folder: string): () => void {
  const path = join(folder, 'fill');
  const file = openSync(path, 'a');
  try {
    for (const size of [2 ** 20, 4_096]) while (written(file, Buffer.alloc(size)));
  } finally {
    closeSync(file);
  }
  return () => rmSync(path, { force: true });
}

function written(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) === bytes.length;
  } catch {
    return false;
  }
}

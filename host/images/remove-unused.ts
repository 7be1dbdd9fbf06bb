// Removes images that a refresh left behind, once nothing needs them.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { debianRecipe } from '../microvm/images/debian.mjs';
import { imagesInUse, sizeOf } from './in-use.ts';

/**
 * Disks and kernels that machines boot from, and the trees that these are made of; never the tools of builds.
 */
const IMAGE = new RegExp(`^(?:kernel-[0-9a-f]+|initrd-[0-9a-f]+\\.cpio|(?:base|guest)-[0-9a-f]+\\.erofs|${debianRecipe.name}-[0-9a-f]+\\.tar)$`);
/** Whoever made a newer one may be about to say so. */
const YOUNG_MS = 3_600_000;

export interface Removed {
  removed: string[];
  bytes: number;
  /** Old ones that somebody still needs. */
  kept: string[];
}

/** @param current names of those that machines get now */
export async function removeUnused(cacheDir: string, current: readonly string[], now = Date.now()): Promise<Removed> {
  const dir = join(cacheDir, 'microvm');
  const used = await imagesInUse(cacheDir);
  const result: Removed = { removed: [], bytes: 0, kept: [] };
  for (const name of (await readdir(dir)).filter((one) => IMAGE.test(one) && !current.includes(one)).toSorted()) {
    const path = join(dir, name);
    if (used.has(name)) result.kept.push(name);
    else if ((await stat(path)).mtimeMs < now - YOUNG_MS) {
      const bytes = await sizeOf(path);
      await rm(path, { recursive: true, force: true });
      result.removed.push(name);
      result.bytes += bytes;
    }
  }
  return result;
}

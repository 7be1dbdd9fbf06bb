// Suspended guests keep their memory in files. When those grow too large or the disk too full, some become
// cold.
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { machineDir } from './bring-up.ts';
import type { Instance } from './instance.ts';
import type { Limits } from '../options.ts';

const mib = 1_048_576;

/** Bytes really on the disk; memory files are sparse. */
async function diskUse(dir: string): Promise<number> {
  const names = await readdir(dir).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(dir, name)).then(
        (about) => about.blocks * 512,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

export interface Relief {
  stateDir: string;
  instances: Instance[];
  limits: Limits;
  /** Ids of those in which runs are open, as the platform knows; undefined: it has not said yet. */
  withRuns: ReadonlySet<string> | undefined;
}

/**
 * Ends suspended instances until the rest fits, the least recently used first; answers what is free and used
 * then. A run that waits for a person would be lost with its machine: those are ended last, and only where
 * the disk itself is short.
 */
export async function relieveDisk({ stateDir, instances, limits, withRuns }: Relief): Promise<{ freeMib: number; filesMib: number }> {
  // The guest says that a run waits in it, which would keep its files; the platform knows whether that can
  // be.
  const holdsRun = ({ id, record }: Instance): boolean => record.waiting > 0 && (withRuns === undefined || withRuns.has(id));
  const suspended = instances
    .filter((one) => one.status().tier === 'suspended')
    .sort((a, b) => Number(holdsRun(a)) - Number(holdsRun(b)) || a.record.last_used_at - b.record.last_used_at);
  const sizes = new Map<Instance, number>();
  for (const one of suspended) sizes.set(one, await diskUse(machineDir(one.dir)));
  const about = await statfs(stateDir);
  let free = about.bavail * about.bsize;
  let used = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  for (const [one, size] of sizes) {
    const isShort = free < limits.freeDiskMib * mib;
    if (!isShort && (used <= limits.memoryFilesMib * mib || holdsRun(one))) break;
    if (holdsRun(one)) one.book.add({ at: Date.now(), stream: 'system', text: `The disk is short: ended with ${one.record.waiting} runs that waited.` });
    await one.sleep('cold');
    used -= size;
    free += size;
  }
  return { freeMib: free / mib, filesMib: used / mib };
}

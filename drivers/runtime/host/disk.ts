// Suspended guests keep their memory in files. When those grow too large or the disk too full, the least recently used become cold.
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { machineDir } from './bring-up.ts';
import type { Instance } from './instance.ts';
import type { Limits } from './options.ts';

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

/** Ends the oldest suspended instances until the rest fits; answers how many. */
export async function relieveDisk(stateDir: string, instances: Instance[], limits: Limits): Promise<number> {
  const suspended = instances.filter((one) => one.status().tier === 'suspended').sort((a, b) => a.record.last_used_at - b.record.last_used_at);
  const sizes = new Map<Instance, number>();
  for (const one of suspended) sizes.set(one, await diskUse(machineDir(one.dir)));
  const about = await statfs(stateDir);
  let free = about.bavail * about.bsize;
  let used = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  let ended = 0;
  for (const [one, size] of sizes) {
    if (used <= limits.memoryFilesMib * mib && free >= limits.freeDiskMib * mib) break;
    await one.sleep('cold');
    used -= size;
    free += size;
    ended += 1;
  }
  return ended;
}

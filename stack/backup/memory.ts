// Backs up machines whose runs wait for people, and the images that they run from.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { ContentWriter } from './contents.ts';
import { storeFile } from './files.ts';
import { storeFolder, unlessBusy } from './folder.ts';
import { type Asleep, asleepNow, imagesOf, isOfInstance, sleepsSince } from './machines.ts';
import type { MachineMemory, NamedContent } from './manifest.ts';

const EVERY_MS = 500;

/**
 * Looks who sleeps, as late as it is certain to be before the database's position: while the server still
 * sends its files.
 */
export async function watchAsleep(db: Knex, vmDir: string, until: Promise<unknown>): Promise<Asleep> {
  const ended = until.then(() => true, () => true); // prettier-ignore
  let before = await asleepNow(vmDir);
  for (;;) {
    if ((await Promise.race([ended, delay(EVERY_MS, false)])) === true) return before;
    const seen = await asleepNow(vmDir);
    const { rows } = await db.raw<{ rows: { phase: string }[] }>("select phase from pg_stat_progress_basebackup where phase = 'streaming database files'");
    if (rows.length === 0) return before;
    before = seen;
  }
}

export interface MemoryOptions {
  writer: ContentWriter;
  vmDir: string;
  asleep: Asleep;
  known: readonly MachineMemory[];
  knownImages: readonly NamedContent[];
}

export async function backUpMemory({ writer, vmDir, asleep, known, knownImages }: MemoryOptions) {
  const before = new Map(known.map((one) => [`${one.name} ${one.stamp}`, one]));
  const images = new Map<string, NamedContent>();
  const memory: MachineMemory[] = [];
  const woken: string[] = [];
  for (const [instance, stamp] of asleep) {
    const paths = await imagesOf(vmDir, instance);
    const earlier = before.get(`${instance} ${stamp}`);
    const stored =
      earlier && writer.has(earlier) ? { content: earlier } : await storeFolder(writer, join(vmDir, instance), { wanted: isOfInstance }).catch(unlessBusy);
    for (const path of paths) if (!images.has(path)) images.set(path, await storeFile(writer, path, knownImages));
    if (stored && (await sleepsSince(vmDir, instance, stamp))) memory.push({ ...stored.content, name: instance, stamp, images: paths });
    else woken.push(instance);
  }
  return { memory, woken, images: [...images.values()] };
}

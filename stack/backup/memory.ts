// Backs up machines whose runs wait for people, and the images that they run from.
import { stat } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { ContentWriter } from './contents.ts';
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
    for (const path of paths) if (!images.has(path)) images.set(path, await backUpImage(writer, path, knownImages));
    if (stored && (await sleepsSince(vmDir, instance, stamp))) memory.push({ ...stored.content, name: instance, stamp, images: paths });
    else woken.push(instance);
  }
  return { memory, woken, images: [...images.values()] };
}

async function backUpImage(writer: ContentWriter, path: string, known: readonly NamedContent[]): Promise<NamedContent> {
  const { size, mtimeMs } = await stat(path);
  const stamp = `${size}:${Math.floor(mtimeMs)}`;
  const earlier = known.find((one) => one.name === path && one.stamp === stamp);
  if (earlier && writer.has(earlier)) return earlier;
  return { name: path, stamp, ...(await writer.write(createReadStream(path))) };
}

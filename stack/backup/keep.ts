// Removes old backups, and what only they needed.
import { chunkKey, contentNames } from './contents.ts';
import { listBackups, manifestKey, type Manifest, readManifest, secretsKey } from './manifest.ts';
import type { Target } from './target.ts';

/**
 * Called by who holds the lock of the installation, so that no backup is being written to the target. What
 * goes first is the manifest: a backup is there as a whole or not at all.
 */
export async function keepNewest(target: Target, keep: number): Promise<{ removed: string[]; contents: number }> {
  const all = await listBackups(target);
  const removed = all.slice(0, Math.max(0, all.length - keep)).map(({ id }) => id);
  for (const id of removed) await target.storage.delete(manifestKey(id));
  const staying = new Set(all.map(({ id }) => id).filter((id) => !removed.includes(id)));
  for await (const key of target.storage.list('backups')) {
    const id = key.split('/')[1] ?? '';
    if (key === secretsKey(id) && !staying.has(id)) await target.storage.delete(key);
  }
  const used = new Set<string>();
  for (const id of staying) for (const name of chunksOf(await readManifest(target, id))) used.add(name);
  let contents = 0;
  for (const name of await contentNames(target)) {
    if (used.has(name)) continue;
    await target.storage.delete(chunkKey(name));
    contents += 1;
  }
  return { removed, contents };
}

function chunksOf({ body }: Manifest): string[] {
  const { objects, repositories, memory, images, boxes, database } = body;
  return [...objects, ...repositories, ...memory, ...images, ...boxes, ...(database ? [database.content] : [])].flatMap(({ chunks }) => chunks);
}

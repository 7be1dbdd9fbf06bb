// Which images of the cache folder somebody needs: every host that takes its images there says which it has
// now and where its machines are, and the records of machines and snapshots name what they were started from.
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { exists, hashOf } from '../microvm/images/cache.ts';
import type { Images } from '../microvm/images/images.ts';
import { readRecord } from '../microvm/qemu/record.ts';
import { readJson, writeAtomic } from '../resources/files.ts';

const Note = z.strictObject({ state_dir: z.string(), images: z.array(z.string()) });

const notesOf = (cacheDir: string): string => join(cacheDir, 'microvm', 'hosts');

type Named = Pick<Images, 'kernel' | 'initrd' | 'base'> & { guest?: string | undefined };

/** From now on, these are of use while the state folder is there. */
export async function noteImages(cacheDir: string, stateDir: string, images: Named): Promise<void> {
  await mkdir(notesOf(cacheDir), { recursive: true });
  await writeAtomic(join(notesOf(cacheDir), `${hashOf(stateDir)}.json`), JSON.stringify({ state_dir: stateDir, images: namesOf(images) }));
}

/** As they are named in the cache folder. */
export function namesOf({ kernel, initrd, base, guest }: Named): string[] {
  return [basename(join(kernel, '..')), basename(initrd), basename(base), ...(guest === undefined ? [] : [basename(guest)])];
}

/** Names of what hosts, machines and snapshots need. */
export async function imagesInUse(cacheDir: string): Promise<Set<string>> {
  const notes = notesOf(cacheDir);
  const folders = [join(cacheDir, 'template')];
  const used = new Set<string>();
  for (const name of await readdir(notes).catch((): string[] => [])) {
    const note = await readJson(join(notes, name), Note);
    // One that cannot be read says nothing; that of a removed installation holds nothing.
    if (note && !(await exists(note.state_dir))) await rm(join(notes, name), { force: true });
    if (!note || !(await exists(note.state_dir))) continue;
    for (const image of note.images) used.add(image);
    folders.push(note.state_dir);
  }
  for (const folder of folders) for (const dir of await machinesBelow(folder, 0)) for (const image of await imagesOf(dir)) used.add(image);
  return used;
}

/** Machines are at most so far below: vm/<id>/machine/machine.json. */
const DEEPEST = 4;

async function machinesBelow(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (entries.some(({ name }) => name === 'machine.json')) return [folder];
  if (depth === DEEPEST) return [];
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => machinesBelow(join(folder, name), depth + 1));
  return (await Promise.all(below)).flat();
}

async function imagesOf(dir: string): Promise<string[]> {
  const record = await readRecord(dir);
  if (record) return namesOf(record);
  // Of another version: whatever it says counts.
  const text = await readFile(join(dir, 'machine.json'), 'utf8').catch(() => '');
  return text.match(/(?:kernel|initrd|base|guest)-[0-9a-f]+(?:\.\w+)?/g) ?? [];
}

export async function sizeOf(path: string): Promise<number> {
  const about = await stat(path);
  if (!about.isDirectory()) return about.size;
  const files = (await readdir(path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

// Where the host keeps things, and writing so that a kill at any moment leaves the old or the new file.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { saysDiskFull } from '#drivers/room.ts';
import { parseJson } from '#drivers/runtime/lines.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { Id } from '#drivers/runtime/wire.ts';

export interface Layout {
  socket: string;
  vm: string;
  templates: string;
  images: string;
  builds: string;
  dependencies: string;
  /** Snapshots that hosts with this cache folder share. */
  sharedTemplates: string;
}

export const layoutOf = (stateDir: string, cacheDir: string, sharedTemplates = join(cacheDir, 'template')): Layout => ({
  socket: join(stateDir, 'run/host.sock'),
  vm: join(stateDir, 'vm'),
  templates: join(stateDir, 'template'),
  images: join(stateDir, 'image'),
  builds: join(stateDir, 'build'),
  dependencies: join(cacheDir, 'dependencies'),
  sharedTemplates,
});

export async function makeLayout(layout: Layout): Promise<void> {
  await mkdir(dirname(layout.socket), { recursive: true });
  // Folders are passed through, never listed: machines run under users of their own.
  for (const dir of [layout.vm, layout.templates, layout.images, layout.builds, layout.dependencies, layout.sharedTemplates])
    await mkdir(dir, { recursive: true, mode: 0o711 });
}

export async function writeAtomic(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw asDiskFull(error);
  }
}

/** The parsed file, or undefined when it is missing or not of this shape. */
export async function readJson<T>(path: string, shape: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const parsed = text === undefined ? undefined : shape.safeParse(parseJson(text));
  return parsed?.success === true ? parsed.data : undefined;
}

export function asDiskFull(error: unknown): unknown {
  if (!saysDiskFull(error)) return error;
  return new RuntimeError('disk_full', 'The disk of the runtime host is full: free some space, or lower what is kept (SVC_MEMORY_FILES_MIB).');
}

export const dropFolder = (dir: string): Promise<void> => rm(dir, { recursive: true, force: true, maxRetries: 3 });

/** Names of entries that can be ours. */
export async function idsIn(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.filter((name) => Id.safeParse(name).success);
}

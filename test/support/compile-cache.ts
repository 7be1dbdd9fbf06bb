// What Node compiled of our sources, kept for the next process: tests start hundreds of programs of ours, and
// most of a start is compiling.
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '#stack/setup/folders.mjs';

/** Projects that tests write leave code of files that are gone. */
const KEPT_DAYS = 7;

/** Its folder, for NODE_COMPILE_CACHE. */
export function compileCache(): string {
  const folder = join(cacheFolder(process.env), 'test', 'compiled');
  const made = statSync(folder, { throwIfNoEntry: false })?.birthtimeMs ?? Infinity;
  if (Date.now() - made > KEPT_DAYS * 86_400_000) rmSync(folder, { recursive: true, force: true });
  return folder;
}

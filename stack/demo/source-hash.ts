// One hash over the files of some folders, by name and content, without what installers and builds make.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

const made = new Set(['node_modules', 'dist', '.svc']);

export function sourceHash(folders: string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders) {
    for (const file of filesBelow(folder)) hash.update(`${relative(folder, file)}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (made.has(entry.name)) return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
    });
}

// One hash over files and folders, by name and content, without what installers and builds make and without
// tests.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repository } from './folders.mjs';

const made = new Set(['node_modules', 'dist', '.svc', '__pycache__']);

/** Paths are absolute; those that are not there count as empty. */
export function sourceHash(paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesBelow))
    hash
      .update(`${relative(repository, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  return hash.digest('hex');
}

function filesBelow(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return path.endsWith('.test.ts') ? [] : [path];
  if (!stats?.isDirectory()) return [];
  return readdirSync(path)
    .filter((name) => !made.has(name))
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

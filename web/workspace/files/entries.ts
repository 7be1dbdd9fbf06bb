// Folders are what paths say: `notes/today.md` is in the folder `notes/`.
import { isPath } from '#contract/wire/patterns.ts';
import type { Item } from '../../api/query.ts';

export type StoredFile = Item<'files', 'list'>;
export type Entry = { name: string; path: string } & ({ is: 'folder'; files: number } | { is: 'file'; file: StoredFile });

/**
 * What lies directly in a folder: its folders, then its files, each by name. @param folder '' or ending with
 * "/"
 */
export function entriesOf(files: readonly StoredFile[], folder: string): Entry[] {
  const folders = new Map<string, number>();
  const here: Entry[] = [];
  for (const file of files) {
    if (!file.path.startsWith(folder)) continue;
    const rest = file.path.slice(folder.length);
    const slash = rest.indexOf('/');
    if (slash === -1) here.push({ is: 'file', name: rest, path: file.path, file });
    else folders.set(rest.slice(0, slash), (folders.get(rest.slice(0, slash)) ?? 0) + 1);
  }
  const below = Array.from(folders, ([name, count]): Entry => ({ is: 'folder', name, path: `${folder}${name}/`, files: count }));
  return [...below, ...here].toSorted((a, b) => Number(a.is === 'file') - Number(b.is === 'file') || a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** `a/b/` → a: `a/`, b: `a/b/`. */
export function foldersAbove(folder: string): { name: string; path: string }[] {
  const names = folder.split('/').filter(Boolean);
  return names.map((name, at) => ({ name, path: `${names.slice(0, at + 1).join('/')}/` }));
}

/** Where a file that was dropped or chosen goes. */
export function pathIn(folder: string, relative: string): string {
  return `${folder}${relative}`.normalize('NFC');
}

/** Why this may not be the path of a file; undefined: it may. */
export function wrongPath(path: string): string | undefined {
  if (isPath(path.normalize('NFC'))) return undefined;
  return 'This is no path. Write it like notes/today.md, without a leading "/", empty, "." or ".." parts, "\\", "*" or "?".';
}

/** The last part of a path; of a folder's with its "/". */
export function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('/', path.length - 2) + 1);
}

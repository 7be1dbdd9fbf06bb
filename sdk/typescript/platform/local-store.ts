// Files of a local workspace: a folder of this machine, or a map in memory. Paths are checked; links are not
// followed.
import { lstat, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { FileType } from '../../../contract/wire/card.ts';
import { typeByName } from '../../../contract/wire/file-types.ts';
import { MAX_BUCKET_FILES, MAX_FILE_BYTES } from '../../../contract/wire/limits.ts';
import { isPath } from '../../../contract/wire/patterns.ts';

export interface FileStore {
  /** Sorted. */
  list(): Promise<string[]>;
  read(path: string): Promise<Uint8Array | undefined>;
  write(path: string, content: Uint8Array): Promise<void>;
  delete(path: string): Promise<void>;
}

/** What a folder holds besides a person's files. */
const NOT_LISTED = new Set(['.git', 'node_modules', '.svc', '__pycache__', '.venv']);

export function memoryStore(files: Readonly<Record<string, string | Uint8Array>> = {}): FileStore {
  const contents = new Map(Object.entries(files).map(([path, content]) => [checked(path), typeof content === 'string' ? Buffer.from(content) : content]));
  return {
    list: async () => [...contents.keys()].toSorted(),
    read: async (path) => contents.get(path),
    write: async (path, content) => void contents.set(checked(path), Uint8Array.from(content)),
    delete: async (path) => void contents.delete(path),
  };
}

export function folderStore(folder: string): FileStore {
  /** Undefined where a link, or a file in the way, leads elsewhere. */
  const locate = async (path: string): Promise<string | undefined> => {
    const root = await realpath(folder);
    const full = join(root, ...checked(path).split('/'));
    for (let at = full; at !== root; at = dirname(at)) {
      const stats = await lstat(at).catch(() => undefined);
      if (stats?.isSymbolicLink() || (stats && at !== full && !stats.isDirectory())) return undefined;
    }
    return full;
  };
  return {
    list: () => listFolder(folder),
    read: async (path) => {
      const full = await locate(path);
      if (!full) return undefined;
      const stats = await lstat(full).catch(() => undefined);
      return stats?.isFile() && stats.size <= MAX_FILE_BYTES ? await readFile(full) : undefined;
    },
    write: async (path, content) => {
      const full = await locate(path);
      if (!full) throw new Error(`${path} leads out of the workspace`);
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, content);
    },
    delete: async (path) => {
      const full = await locate(path);
      if (full) await rm(full, { force: true });
    },
  };
}

async function listFolder(folder: string): Promise<string[]> {
  const root = await realpath(folder);
  const paths: string[] = [];
  const visit = async (at: string): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      if (paths.length >= MAX_BUCKET_FILES) return;
      const full = join(at, entry.name);
      if (entry.isDirectory() && !NOT_LISTED.has(entry.name)) await visit(full);
      else if (entry.isFile()) {
        const path = relative(root, full).split(sep).join('/').normalize('NFC');
        if (isPath(path)) paths.push(path);
      }
    }
  };
  await visit(root);
  return paths.toSorted();
}

function checked(path: string): string {
  if (!isPath(path)) throw new TypeError(`"${path}" is no path of a workspace: relative, "/" between names, no "." or ".."`);
  return path;
}

export function mimeTypeOf(path: string): string {
  return typeByName(path)?.mime ?? 'application/octet-stream';
}

export function fileTypeOf(path: string): FileType {
  return typeByName(path)?.kind ?? 'other';
}

// Files of a local workspace: a folder of this machine, or a map in memory. Paths are checked; links are not followed.
import { lstat, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { FileType } from '../../../contract/wire/card.ts';
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
const MAX_FILES = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;

export function memoryStore(files: Readonly<Record<string, string | Uint8Array>> = {}): FileStore {
  const held = new Map(Object.entries(files).map(([path, content]) => [checked(path), typeof content === 'string' ? Buffer.from(content) : content]));
  return {
    list: async () => [...held.keys()].toSorted(),
    read: async (path) => held.get(path),
    write: async (path, content) => void held.set(checked(path), Uint8Array.from(content)),
    delete: async (path) => void held.delete(path),
  };
}

export function folderStore(folder: string): FileStore {
  /** Undefined where a link, or a file in the way, leads elsewhere. */
  const locate = async (path: string): Promise<string | undefined> => {
    const root = await realpath(folder);
    const full = join(root, ...checked(path).split('/'));
    for (let at = full; at !== root; at = dirname(at)) {
      const found = await lstat(at).catch(() => undefined);
      if (found?.isSymbolicLink() || (found && at !== full && !found.isDirectory())) return undefined;
    }
    return full;
  };
  return {
    list: () => listFolder(folder),
    read: async (path) => {
      const full = await locate(path);
      if (!full) return undefined;
      const found = await lstat(full).catch(() => undefined);
      return found?.isFile() && found.size <= MAX_BYTES ? await readFile(full) : undefined;
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
      if (paths.length >= MAX_FILES) return;
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

const TYPES: Readonly<Record<string, FileType>> = {
  txt: 'text', md: 'text', log: 'text', rst: 'text',
  ts: 'code', js: 'code', mjs: 'code', py: 'code', go: 'code', rs: 'code', java: 'code', c: 'code', h: 'code', sh: 'code', css: 'code', html: 'code', sql: 'code',
  pdf: 'document', doc: 'document', docx: 'document', odt: 'document', ppt: 'document', pptx: 'document',
  json: 'data', csv: 'data', tsv: 'data', yaml: 'data', yml: 'data', toml: 'data', xml: 'data', xls: 'data', xlsx: 'data', parquet: 'data', sqlite: 'data',
  png: 'image', jpg: 'image', jpeg: 'image', gif: 'image', webp: 'image', svg: 'image',
  mp3: 'audio', wav: 'audio', ogg: 'audio', flac: 'audio',
  mp4: 'video', webm: 'video', mov: 'video',
  zip: 'archive', tar: 'archive', gz: 'archive', tgz: 'archive', '7z': 'archive',
}; // prettier-ignore

const MIME_TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown', html: 'text/html', css: 'text/css', csv: 'text/csv', tsv: 'text/tab-separated-values', js: 'text/javascript', mjs: 'text/javascript',
  json: 'application/json', xml: 'application/xml', yaml: 'application/yaml', yml: 'application/yaml', toml: 'application/toml',
  pdf: 'application/pdf', zip: 'application/zip', gz: 'application/gzip',
  png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', svg: 'image/svg+xml',
  mp3: 'audio/mpeg', wav: 'audio/wav', ogg: 'audio/ogg', flac: 'audio/flac', mp4: 'video/mp4', webm: 'video/webm',
}; // prettier-ignore

export function mimeTypeOf(path: string): string {
  const known = MIME_TYPES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
  if (known !== undefined) return known;
  return ['text', 'code'].includes(fileTypeOf(path)) ? 'text/plain' : 'application/octet-stream';
}

export function fileTypeOf(path: string): FileType {
  return TYPES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? 'other';
}

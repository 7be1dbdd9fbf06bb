// A project's folder as a browser has it: dropped, chosen, or packed in an archive.
import type { SourceFolder } from '#contract/wire/source-files.ts';
import { childrenOf, type Chosen, fileOf } from '../../kit/dropped.ts';

export interface ProjectFolder extends SourceFolder {
  file(path: string): Promise<ProjectFile>;
}

export interface ProjectFile {
  content: Blob;
  executable: boolean;
}

/** What is chosen is no project; the message says why. */
export class NotAProject extends Error {}

/** More entries, or bytes, the API refuses. */
export const MOST_ENTRIES = 20_000;
const MOST_BYTES = 200 * 1024 * 1024;

export const tooMuchIn = (name: string): NotAProject => new NotAProject(`${name} holds more than a project may have.`);

type Entry = { kind: 'other' } | ({ kind: 'file' } & Pick<ProjectFile, 'content'> & { executable?: boolean });

/** A folder that was dropped is read as far as its files are wanted: what is ignored may be large. */
export function droppedFolder(top: FileSystemDirectoryEntry): ProjectFolder {
  const known = new Map<string, Promise<Map<string, FileSystemEntry>>>();
  const inside = (path: string): Promise<Map<string, FileSystemEntry>> => {
    const listed = known.get(path) ?? listing(path);
    known.set(path, listed);
    return listed;
  };
  const listing = async (path: string): Promise<Map<string, FileSystemEntry>> => {
    const folder = path === '' ? top : await find(path);
    return new Map(folder?.isDirectory ? (await childrenOf(folder)).map((entry) => [entry.name, entry]) : []);
  };
  const find = async (path: string): Promise<FileSystemEntry | undefined> => {
    const slash = path.lastIndexOf('/');
    return (await inside(path.slice(0, Math.max(0, slash)))).get(path.slice(slash + 1));
  };
  const content = async (path: string): Promise<Blob | undefined> => {
    const entry = await find(path);
    return entry?.isFile ? fileOf(entry) : undefined;
  };
  return {
    list: async (path) =>
      Array.from((await inside(path)).values(), ({ name, isDirectory }) => ({ name, kind: isDirectory ? ('folder' as const) : ('file' as const) })),
    text: async (path) => (await content(path))?.text() ?? '',
    file: async (path) => withMode((await content(path)) ?? new Blob()),
  };
}

/** @param files of one folder, its name before each path */
export function chosenFolder(files: readonly Chosen[]): ProjectFolder {
  return folderOf(new Map(files.map(({ relative, file }) => [relative.slice(relative.indexOf('/') + 1), { kind: 'file', content: file }])));
}

/** Of a gzipped tar. @throws NotAProject */
export async function archivedFolder(file: Blob, name: string): Promise<{ folder: ProjectFolder; entries: number }> {
  // modern-tar: reads an archive as a web stream, in a browser as in Node. Loaded when a file was chosen.
  const { createTarDecoder } = await import('modern-tar');
  const { readable, writable } = createTarDecoder({ strict: true });
  const entries = new Map<string, Entry>();
  const walk = async (): Promise<void> => {
    let bytes = 0;
    for await (const { header, body } of readable) {
      bytes += header.size;
      if (entries.size >= MOST_ENTRIES || bytes > MOST_BYTES) throw tooMuchIn(name);
      const content = await new Response(body).blob();
      if (header.type === 'directory') continue;
      const path = plainPath(header.name);
      if (path === undefined) throw new NotAProject(`${name} has a path outside of the project: ${header.name}`);
      entries.set(path, header.type === 'file' ? { kind: 'file', content, executable: ((header.mode ?? 0) & 0o100) !== 0 } : { kind: 'other' });
    }
  };
  // The decoder's entries do not end where its input fails; of one that is only too short, strict tells.
  const fed = file.stream().pipeThrough(new DecompressionStream('gzip')).pipeTo(writable);
  const damaged = new Promise<never>((_, reject) => void fed.catch(reject));
  try {
    await Promise.race([walk(), damaged]);
  } catch (error) {
    throw error instanceof NotAProject ? error : new NotAProject(`${name} is damaged. Pack the project again.`, { cause: error });
  }
  return { folder: folderOf(entries), entries: entries.size };
}

/** Undefined: it leads out of the folder. */
function plainPath(name: string): string | undefined {
  const steps = name.split('/').filter((step) => step !== '' && step !== '.');
  return name.startsWith('/') || steps.length === 0 || steps.includes('..') ? undefined : steps.join('/');
}

function folderOf(entries: ReadonlyMap<string, Entry>): ProjectFolder {
  const inside = new Map<string, Map<string, 'file' | 'folder' | 'other'>>([['', new Map()]]);
  for (const [path, { kind }] of entries) {
    const steps = path.split('/');
    for (const [depth, name] of steps.entries()) {
      const above = steps.slice(0, depth).join('/');
      const children = inside.get(above) ?? new Map<string, 'file' | 'folder' | 'other'>();
      inside.set(above, children.set(name, depth < steps.length - 1 ? 'folder' : kind));
    }
  }
  const file = (path: string) => {
    const entry = entries.get(path);
    return entry?.kind === 'file' ? entry : undefined;
  };
  return {
    list: async (path) => Array.from(inside.get(path) ?? [], ([name, kind]) => ({ name, kind })),
    text: async (path) => (await file(path)?.content.text()) ?? '',
    file: async (path) => {
      const { content = new Blob(), executable } = file(path) ?? {};
      return executable === undefined ? withMode(content) : { content, executable };
    },
  };
}

/** A browser does not say which files may be executed: those that say by what. */
async function withMode(content: Blob): Promise<ProjectFile> {
  return { content, executable: (await content.slice(0, 2).text()) === '#!' };
}

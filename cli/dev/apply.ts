// A set of changes to a folder: complete or not at all. Contents are staged first, then a journal is written.
// If this process is killed after that, the next process that opens the folder completes the changes. So a
// half-changed folder is never run.
import { createHash } from 'node:crypto';
import { chmod, copyFile, lstat, mkdir, open, readFile, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { markOf } from './tree.ts';

export interface Write {
  path: string;
  sha256: string;
  executable: boolean;
}

const Journal = z.object({
  writes: z.array(z.object({ path: z.string(), staged: z.string(), executable: z.boolean() })),
  removes: z.array(z.string()),
});
type Journal = z.infer<typeof Journal>;

/** A path that stays inside the folder, and is not the sync's own. */
export function isSafePath(path: string): boolean {
  if (path === '' || path.length > 1_024 || path.startsWith('/') || path.includes('\0') || path.includes('\\')) return false;
  const segments = path.split('/');
  return segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..') && !['.git', '.svc', 'node_modules'].includes(segments[0] ?? '');
}

export class Applier {
  readonly #folder: string;
  /** Beside the project's files on the same file system, where deploys and syncs do not look. */
  readonly #stage: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#stage = join(folder, '.svc', 'sync');
  }

  /** Finishes what a killed process began, and forgets what it only staged. */
  async recover(): Promise<void> {
    const text = await readFile(join(this.#stage, 'journal.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) await this.#carryOut(Journal.parse(JSON.parse(text)));
    await rm(this.#stage, { recursive: true, force: true });
  }

  /** Takes one content. @throws where it is not what it should be */
  async stage(sha256: string, content: Uint8Array): Promise<void> {
    if (sha256Of(content) !== sha256) throw new Error('A file arrived with another content than was announced.');
    await mkdir(this.#stage, { recursive: true });
    await writeFile(join(this.#stage, sha256), content);
  }

  /**
   * Those contents must be staged. Files that were changed since the scan stay as they are and are returned:
   * the next scan sees them. `expected`: the mark of each path then; null where there was nothing.
   */
  async apply(wanted: readonly Write[], gone: readonly string[], expected: Readonly<Record<string, string | null>>): Promise<string[]> {
    const changed = await this.#changed(expected);
    const writes = wanted.filter(({ path }) => !changed.has(path));
    const removes = gone.filter((path) => !changed.has(path));
    const unsafe = [...writes.map(({ path }) => path), ...removes].find((path) => !isSafePath(path));
    if (unsafe !== undefined) throw new Error(`${unsafe.slice(0, 200)} is not a path inside the project.`);
    await mkdir(this.#stage, { recursive: true });
    const journal: Journal = { writes: [], removes: [...removes] };
    // One content may have several names.
    const last = new Map(writes.map(({ sha256 }, index) => [sha256, index]));
    for (const [index, { path, sha256, executable }] of writes.entries()) {
      const staged = `${index}.file`;
      const isLast = last.get(sha256) === index;
      await (isLast ? rename : copyFile)(join(this.#stage, sha256), join(this.#stage, staged));
      await chmod(join(this.#stage, staged), executable ? 0o755 : 0o644);
      journal.writes.push({ path, staged, executable });
    }
    // Most saves are one file, which is replaced whole or not at all.
    const [only] = writes.length === 1 && removes.length === 0 ? writes : [];
    const isOneMove = only && (await lstat(join(this.#folder, only.path)).catch(() => undefined))?.isFile() === true;
    if (!isOneMove) await writeWhole(join(this.#stage, 'journal.json'), JSON.stringify(journal));
    await this.#carryOut(journal);
    await rm(this.#stage, { recursive: true, force: true });
    return [...changed];
  }

  async #changed(expected: Readonly<Record<string, string | null>>): Promise<Set<string>> {
    const changed = new Set<string>();
    for (const [path, mark] of Object.entries(expected)) {
      if (!isSafePath(path)) continue;
      const file = join(this.#folder, path);
      const about = await lstat(file).catch(() => undefined);
      const now = about?.isFile() === true ? markOf({ sha256: sha256Of(await readFile(file)), executable: (about.mode & 0o100) !== 0 }) : null;
      if (now !== mark) changed.add(path);
    }
    return changed;
  }

  /** Every step may come twice. */
  async #carryOut({ writes, removes }: Journal): Promise<void> {
    for (const path of removes) {
      if (!isSafePath(path)) continue;
      await rm(join(this.#folder, path), { force: true }).catch((error: NodeJS.ErrnoException) => {
        // A folder of that name is something else by now.
        if (error.code !== 'ERR_FS_EISDIR' && error.code !== 'ENOTDIR') throw error;
      });
      await this.#dropEmpty(dirname(path));
    }
    for (const { path, staged } of writes) {
      if (!isSafePath(path)) continue;
      await this.#makeFolder(dirname(path));
      const to = join(this.#folder, path);
      if ((await lstat(to).catch(() => undefined))?.isDirectory() === true) await rmdir(to).catch(() => rename(to, `${to}.saved-${Date.now()}`));
      await rename(join(this.#stage, staged), to).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error; // it was moved before
      });
    }
  }

  /**
   * A link could lead out of the project. A file in the way is kept beside it: the other side never knew it.
   */
  async #makeFolder(path: string): Promise<void> {
    if (path === '.') return;
    await this.#makeFolder(dirname(path));
    const folder = join(this.#folder, path);
    const there = await lstat(folder).catch(() => undefined);
    if (there?.isDirectory() === true) return;
    if (there?.isFile() === true) await rename(folder, `${folder}.saved-${Date.now()}`);
    else if (there !== undefined) await rm(folder);
    await mkdir(folder);
  }

  async #dropEmpty(path: string): Promise<void> {
    if (path === '.' || path === '') return;
    const folder = join(this.#folder, path);
    if ((await readdir(folder).catch(() => ['unknown'])).length > 0) return;
    await rmdir(folder).catch(() => undefined);
    await this.#dropEmpty(dirname(path));
  }
}

function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** On the disk before anything follows from it. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(`${path}.partial`, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(`${path}.partial`, path);
}

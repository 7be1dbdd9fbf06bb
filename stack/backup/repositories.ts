// Repositories of a state folder, each as it is at one moment while pushes go on. git writes objects before
// the refs that need them, and never changes one: so refs are read first, and objects after them, as links
// that stay when git packs anew.
import { copyFile, link, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type FolderState, folderState, isGone } from './folder.ts';

const DEPTH = 4;
const ATTEMPTS = 12;

/** Paths below the folder, sorted. */
export async function repositoriesIn(root: string): Promise<string[]> {
  const paths: string[] = [];
  const look = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(join(root, below), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
      if (entry.name.endsWith('.git')) paths.push(path);
      else if (depth < DEPTH) await look(path, depth + 1);
    }
  };
  await look('', 1);
  return paths.toSorted();
}

/** Not what a process of git is just writing, nor what a killed one left. */
const isOfRepository = (path: string): boolean => !/(?:\.lock|\/tmp_[^/]*|\/incoming-[^/]*)$|(?:^|\/)(?:tmp_objdir-|gc\.pid)/.test(path);

export const repositoryState = (folder: string): Promise<FolderState> => folderState(folder, isOfRepository);

/** Runs `work` on a folder beside that holds the repository as it is now. */
export async function withRepositorySnapshot<T>(folder: string, scratchDir: string, work: (snapshot: string) => Promise<T>): Promise<T> {
  await mkdir(scratchDir, { recursive: true, mode: 0o711 });
  for (let attempt = 1; ; attempt += 1) {
    const snapshot = await mkdtemp(join(scratchDir, 'backup-'));
    try {
      await takeSnapshot(folder, snapshot);
    } catch (error) {
      await rm(snapshot, { recursive: true, force: true });
      // git has packed refs or objects meanwhile.
      if (!isGone(error) || attempt === ATTEMPTS) throw error;
      await delay(50 * attempt);
      continue;
    }
    return work(snapshot).finally(() => rm(snapshot, { recursive: true, force: true }));
  }
}

async function takeSnapshot(folder: string, snapshot: string): Promise<void> {
  // A ref that is packed meanwhile is in one of both: the loose ones come first.
  for (const below of ['refs', '', 'objects']) {
    const { files, folders } = await folderState(
      join(folder, below),
      (path) => isOfRepository(path) && (below !== '' || !/^(?:refs|objects)(?:\/|$)/.test(path)),
    );
    await mkdir(join(snapshot, below), { recursive: true });
    for (const path of folders) await mkdir(join(snapshot, below, path));
    for (const path of files) await (below === 'objects' ? linkOrCopy : copyFile)(join(folder, below, path), join(snapshot, below, path));
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: unknown) => {
    if (isGone(error)) throw error;
    await mkdir(dirname(to), { recursive: true });
    await copyFile(from, to);
  });
}

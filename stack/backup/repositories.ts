// Repositories of a state folder: folders that end in ".git".
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const DEPTH = 4;

/** Paths below the folder, sorted. */
export async function repositoriesIn(root: string): Promise<string[]> {
  const found: string[] = [];
  const look = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(join(root, below), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
      if (entry.name.endsWith('.git')) found.push(path);
      else if (depth < DEPTH) await look(path, depth + 1);
    }
  };
  await look('', 1);
  return found.toSorted();
}

/** Not what a process of git is just writing, nor what a killed one left. */
export const isOfRepository = (path: string): boolean => !/(?:\.lock|\/tmp_[^/]*|\/incoming-[^/]*)$|(?:^|\/)(?:tmp_objdir-|gc\.pid)/.test(path);

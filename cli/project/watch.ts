// Says when a project's files have changed: once for what is saved together, never for what tools write.
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
// Not `watch` of Node with `recursive`: on Linux it loses a file that an editor has replaced by renaming (Node 20 to 24).
import { watch } from 'chokidar';

const QUIET_MS = 150;
const IGNORED = new Set(['node_modules', '.git', '.svc', '.venv', 'venv', '__pycache__', 'dist', 'build', 'target', '.next', '.pytest_cache', '.mypy_cache']);

export interface Watcher {
  close(): void;
}

/** Resolves when every change is seen. `changed` gets the paths, relative to the folder, once nothing more has come for `quietMs`. */
export async function watchProject(folder: string, changed: (paths: readonly string[]) => void, quietMs = QUIET_MS): Promise<Watcher> {
  // Links inside are not followed; the project itself may be behind one.
  const root = await realpath(folder);
  const seen = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(root, { ignoreInitial: true, followSymlinks: false, ignored: (path) => isIgnored(relative(root, path)) });
  watcher.on('all', (event, path) => {
    // A folder that is made or removed changes nothing without the files in it.
    if (event === 'addDir' || event === 'unlinkDir') return;
    seen.add(relative(root, path));
    clearTimeout(timer);
    timer = setTimeout(() => {
      const paths = [...seen].toSorted();
      seen.clear();
      changed(paths);
    }, quietMs);
  });
  // A folder that goes away while it is looked at is no reason to end.
  watcher.on('error', () => undefined);
  await once(watcher, 'ready');
  return {
    close() {
      clearTimeout(timer);
      void watcher.close();
    },
  };
}

/** The same for work that takes time: changes during it are taken up after it, together. */
export function oneAtATime(work: (paths: readonly string[]) => Promise<unknown>): (paths: readonly string[]) => void {
  let busy = false;
  const next = new Set<string>();
  const run = async (): Promise<void> => {
    busy = true;
    while (next.size > 0) {
      const paths = [...next];
      next.clear();
      await work(paths);
    }
    busy = false;
  };
  return (paths) => {
    for (const path of paths) next.add(path);
    if (!busy) void run();
  };
}

/** Editors write beside the file and rename: `.agent.ts.swp`, `agent.ts~`, `4913`. */
export function isIgnored(path: string): boolean {
  const parts = path.split(sep);
  const name = parts.at(-1) ?? '';
  return parts.some((part) => IGNORED.has(part)) || /~$|^\.#|\.sw[a-z]$|^4913$|\.tmp$/.test(name);
}

// Says when a project's files have changed: once for what is saved together, never for what tools write.
import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { join, sep } from 'node:path';

const QUIET_MS = 150;
const IGNORED = new Set(['node_modules', '.git', '.svc', '.venv', 'venv', '__pycache__', 'dist', 'build', 'target', '.next', '.pytest_cache', '.mypy_cache']);

export interface Watcher {
  close(): void;
}

/** `changed` gets the paths, relative to the folder, once nothing more has come for `quietMs`. */
export function watchProject(folder: string, changed: (paths: readonly string[]) => void, quietMs = QUIET_MS): Watcher {
  const seen = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const see = (path: string): void => {
    if (isIgnored(path)) return;
    seen.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const paths = [...seen].toSorted();
      seen.clear();
      changed(paths);
    }, quietMs);
  };
  const watcher = process.platform === 'linux' ? new Folders(folder, see) : watch(folder, { recursive: true }, (_event, path) => path !== null && see(path));
  // A folder that goes away while it is looked at is no reason to end.
  if (!(watcher instanceof Folders)) watcher.on('error', () => undefined);
  return {
    close() {
      clearTimeout(timer);
      watcher.close();
    },
  };
}

/**
 * A watcher a folder. Node's own recursive one watches every file on Linux, those of packages too, and loses
 * one that an editor replaces by renaming; chokidar 5 loses some of those as well when the machine is busy.
 */
class Folders {
  readonly #root: string;
  readonly #see: (path: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();

  constructor(root: string, see: (path: string) => void) {
    this.#root = root;
    this.#see = see;
    this.#add('', () => undefined);
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** `found` gets what is in it, and in its folders. */
  #add(below: string, found: (path: string) => void): void {
    if (this.#watchers.has(below) || isIgnored(below)) return;
    try {
      const watcher = watch(join(this.#root, below), (event, name) => {
        if (name === null) return;
        const path = join(below, name);
        this.#see(path);
        if (event === 'rename') this.#look(path);
      });
      watcher.on('error', () => this.#drop(below));
      this.#watchers.set(below, watcher);
      for (const entry of readdirSync(join(this.#root, below), { withFileTypes: true })) {
        const path = join(below, entry.name);
        if (entry.isDirectory()) this.#add(path, found);
        else found(path);
      }
    } catch {
      // It is gone already, or not ours to read.
      this.#drop(below);
    }
  }

  #look(path: string): void {
    const isFolder = lstatSync(join(this.#root, path), { throwIfNoEntry: false })?.isDirectory() === true;
    // Its files may have been written before it was watched.
    if (isFolder) this.#add(path, this.#see);
    else this.#drop(path);
  }

  #drop(path: string): void {
    for (const [below, watcher] of this.#watchers) {
      if (below !== path && !below.startsWith(path + sep)) continue;
      watcher.close();
      this.#watchers.delete(below);
    }
  }
}

/** The same for work that takes time: changes during it are handled after it, together. */
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

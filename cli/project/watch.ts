// Says when a project's files have changed: once for what is saved together, never for what tools write.
import { type FSWatcher, lstatSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join, sep } from 'node:path';
import { anchored, noRules } from '#contract/wire/source-files.ts';

const QUIET_MS = 150;
/** What tools write: packages, output, caches, reports, settings of editors. */
const IGNORED = new Set(
  'node_modules .git .hg .svc .venv venv __pycache__ dist build out target .next .nuxt .output .turbo .cache .parcel-cache .pytest_cache .mypy_cache .ruff_cache .tox .nox .eggs coverage htmlcov .nyc_output .coverage .idea .vscode .vs .DS_Store Thumbs.db logs'.split(
    ' ',
  ),
);
/** Beside a file while it is saved (`.agent.ts.swp`, `agent.ts~`, `4913`), and what programs append to. */
const NO_SOURCE =
  /~$|^\.#|^#.*#$|\.sw[a-z]$|^4913$|___jb_(?:tmp|old)___$|\.(?:tmp|temp|bak|log|pid|py[co]|tsbuildinfo|egg-info|(?:db|sqlite3?)(?:-(?:journal|wal|shm))?)$/;

export interface Watcher {
  close(): void;
}

/** `changed` gets the paths, relative to the folder, once nothing more has come for `quietMs`. */
export function watchProject(folder: string, changed: (paths: readonly string[]) => void, quietMs = QUIET_MS): Watcher {
  const seen = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let rules = gitRulesOf(folder);
  const see = (path: string): void => {
    if (path === '.gitignore') rules = gitRulesOf(folder);
    const posix = path.split(sep).join('/');
    // It may be a folder, of which only its name is known once it is gone.
    if (isIgnored(path) || rules.ignores(posix) || rules.ignores(`${posix}/`)) return;
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

/** What git leaves out is made by something, or is no part of the program. */
function gitRulesOf(folder: string): ReturnType<typeof noRules> {
  try {
    return noRules().add(anchored(readFileSync(join(folder, '.gitignore'), 'utf8'), ''));
  } catch {
    return noRules();
  }
}

/** Not by its own .gitignore. */
export function isIgnored(path: string): boolean {
  const parts = path.split(sep);
  const name = parts.at(-1) ?? '';
  return parts.some((part) => IGNORED.has(part)) || NO_SOURCE.test(name);
}

// Says when a project's files have changed: once for what is saved together, never for what tools write.
import { watch } from 'node:fs';
import { sep } from 'node:path';

const QUIET_MS = 150;
const IGNORED = new Set(['node_modules', '.git', '.svc', '.venv', 'venv', '__pycache__', 'dist', 'build', 'target', '.next', '.pytest_cache', '.mypy_cache']);

export interface Watcher {
  close(): void;
}

/** `changed` gets the paths, relative to the folder, once nothing more has come for `quietMs`. */
export function watchProject(folder: string, changed: (paths: readonly string[]) => void, quietMs = QUIET_MS): Watcher {
  const seen = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, { recursive: true }, (_event, path) => {
    if (path === null || isIgnored(path)) return;
    seen.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const paths = [...seen].toSorted();
      seen.clear();
      changed(paths);
    }, quietMs);
  });
  // A folder that goes away while it is looked at is no reason to end.
  watcher.on('error', () => undefined);
  return {
    close() {
      clearTimeout(timer);
      watcher.close();
    },
  };
}

/** Editors write beside the file and rename: `.agent.ts.swp`, `agent.ts~`, `4913`. */
export function isIgnored(path: string): boolean {
  const parts = path.split(sep);
  const name = parts.at(-1) ?? '';
  return parts.some((part) => IGNORED.has(part)) || /~$|^\.#|\.sw[a-z]$|^4913$|\.tmp$/.test(name);
}

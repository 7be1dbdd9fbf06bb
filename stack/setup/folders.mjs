// Where things are kept. Plain JavaScript: the bootstrap needs it before anything is installed.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readlinkSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Shared by all clones of one user: what can be made again. Root's must be open to the users that run
 * databases and machines.
 */
export function cacheFolder(env) {
  if (env.SVC_CACHE_DIR) return env.SVC_CACHE_DIR;
  if (process.getuid?.() === 0) return '/var/cache/svc';
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc');
}

/**
 * This clone's state; made on first use. Root's clone in a closed home gets it under /var/lib, with a link at
 * `.svc`.
 */
export function stateFolder(env) {
  const folder = env.SVC_STATE_DIR || join(repository, '.svc');
  if (!lstatSync(folder, { throwIfNoEntry: false })) {
    if (!env.SVC_STATE_DIR && process.getuid?.() === 0 && !isOpen(repository)) {
      const name = createHash('sha256').update(repository).digest('hex').slice(0, 12);
      mkdirSync(join('/var/lib/svc', name), { recursive: true, mode: 0o711 });
      symlinkSync(join('/var/lib/svc', name), folder);
    } else mkdirSync(folder, { recursive: true, mode: 0o711 });
  }
  // A link whose target was removed: make the target again.
  if (!statSync(folder, { throwIfNoEntry: false })) mkdirSync(readlinkSync(folder), { recursive: true, mode: 0o711 });
  return realpathSync(folder);
}

/** True when every folder down to `path` may be entered by any user. */
function isOpen(path) {
  const parent = dirname(path);
  return (statSync(path).mode & 0o001) !== 0 && (parent === path || isOpen(parent));
}

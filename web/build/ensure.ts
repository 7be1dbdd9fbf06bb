// The built dashboard in the cache folder, built where it does not exist yet.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const RETENTION_DAYS = 14;

/**
 * @param folder named by the hash of the sources and the language (stack/setup/dashboard.mjs)
 * @param language as SVC_LANGUAGE names it
 */
export async function ensureDashboard(folder: string, language = ''): Promise<void> {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(dirname(folder), { recursive: true, mode: 0o755 });
  // A process of its own: Vite builds for development where NODE_ENV says so.
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'build.ts'), unfinished], {
    env: { ...process.env, NODE_ENV: 'production', SVC_LANGUAGE: language },
  });
  // Another process may have been faster.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true, force: true }));
  await removeOld(dirname(folder));
}

/** Of sources that have changed since; a process that serves one has read it. */
async function removeOld(all: string): Promise<void> {
  const before = Date.now() - RETENTION_DAYS * 86_400_000;
  for (const name of await readdir(all)) if ((await stat(join(all, name))).mtimeMs < before) await rm(join(all, name), { recursive: true, force: true });
}

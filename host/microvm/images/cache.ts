// Things made once per content of their inputs: a folder or file named by a hash, made aside and renamed into
// place, by one builder at a time.
import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export { hashOf } from './hash.mjs';

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** A folder to work in beside the thing being made; when its maker is killed, the next one removes it. */
export async function workFolder(path: string): Promise<string> {
  const folder = `${path}.work`;
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/**
 * Runs one such piece of work at a time on this machine, whichever process asks. @throws AbortError when
 * `signal` aborts before its time comes
 */
export async function exclusively<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const lockServer = await lock(name, signal);
  try {
    return await work();
  } finally {
    lockServer.close();
  }
}

// An abstract unix socket is a lock that the kernel frees with its holder, whatever ends it. Only Linux has
// them, and a host runs only on Linux; the command line tool runs elsewhere too and has a file
// (cli/lib/lock.ts).
async function lock(name: string, signal: AbortSignal | undefined): Promise<Server> {
  for (;;) {
    signal?.throwIfAborted();
    const server = createServer();
    const got = await new Promise<boolean>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
      server.listen(`\0svc-cache-${name}`, () => resolve(true));
    });
    if (got) return server;
    await delay(100, undefined, { signal });
  }
}

/**
 * Answers `<dir>/<name>`, made by `make(temporary path)` when it does not exist yet.
 * Interrupted attempts leave only a temporary beside it, which the next builder removes.
 */
export async function cached(dir: string, name: string, make: (path: string) => Promise<void>): Promise<string> {
  const path = join(dir, name);
  if (await exists(path)) return path;
  await mkdir(dir, { recursive: true, mode: 0o755 });
  const { dev, ino } = await stat(dir);
  return exclusively(`${dev}-${ino}-${name}`, async () => {
    if (await exists(path)) return path;
    const leftovers = (await readdir(dir)).filter((entry) => entry.startsWith(`${name}.partial-`));
    for (const entry of leftovers) await rm(join(dir, entry), { recursive: true, force: true });
    const partial = `${path}.partial-${randomUUID()}`;
    try {
      await make(partial);
      await rename(partial, path);
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
    return path;
  });
}

// One process at a time, across processes: a file that names its holder. A holder that died is noticed and
// its file removed. Not proper-lockfile: it takes a holder for dead by the age of a folder, so a killed one
// is waited for and a stopped one loses its lock. fs-ext and os-lock are compiled at every install. What the
// host uses (images/cache.ts) exists on Linux only.
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CliError } from './errors.ts';

const Holder = z.object({ pid: z.int().positive(), started: z.string(), id: z.string() });
type Holder = z.infer<typeof Holder>;

const POLL_MS = 25;
const BREAKER_STALE_MS = 5_000;

/**
 * Runs `work` while holding the lock. Throws CliError when a live process holds it for longer than `waitMs`.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, waitMs = 30_000): Promise<T> {
  const me: Holder = { pid: process.pid, started: (await startOf(process.pid)) ?? '', id: randomUUID() };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const deadline = performance.now() + waitMs;
  while (!(await take(path, me))) {
    const holder = await read(path);
    if (holder !== undefined && !(await isAlive(holder))) await removeStale(path);
    else if (performance.now() > deadline)
      throw new CliError(`Another svc (process ${holder?.pid ?? '?'}) has held ${path} for ${waitMs / 1000} s. If it hangs, end it and try again.`);
    else await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** The file appears with its content in one step, so readers never see half of it. */
async function take(path: string, me: Holder): Promise<boolean> {
  const own = `${path}.${me.id}`;
  await writeFile(own, JSON.stringify(me), { mode: 0o600 });
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Only one process removes at a time, and it looks again first: or it might remove the lock of one that just
 * took it.
 */
async function removeStale(path: string): Promise<void> {
  const breaker = `${path}.breaking`;
  try {
    await writeFile(breaker, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const age = await stat(breaker).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > BREAKER_STALE_MS) await rm(breaker, { force: true });
    return sleep(POLL_MS);
  }
  try {
    const holder = await read(path);
    if (holder === undefined || !(await isAlive(holder))) await rm(path, { force: true });
  } finally {
    await rm(breaker, { force: true });
  }
}

/** Undefined when the file is gone; junk reads as a holder that never lived. */
async function read(path: string): Promise<Holder | undefined> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return Holder.parse(JSON.parse(content));
  } catch {
    return { pid: 2 ** 31 - 1, started: 'never', id: '' };
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  // The number may have been given to another process since.
  const started = await startOf(holder.pid);
  return started === undefined || started === holder.started;
}

/** When a process began, as the kernel says; undefined where there is no /proc. */
async function startOf(pid: number): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')[19];
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

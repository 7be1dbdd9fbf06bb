// Locks that a killed git has left. git holds a lock file for milliseconds, so an old one is a leftover.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const staleLockMs = 10_000;

/** Another process moved the branch, or holds (or held) its lock. */
export function isContention(stderr: string): boolean {
  return /does not contain|cannot lock ref|Unable to create '.*\.lock'|is at [0-9a-f]+ but expected|reference already exists/.test(stderr);
}

/** Of the lock that git named, where it is old. */
export async function breakStaleLock(gitDir: string, stderr: string): Promise<void> {
  const lock = /Unable to create '(.+\.lock)': File exists/.exec(stderr)?.[1];
  if (lock?.startsWith(`${gitDir}/`)) await removeIfOlder(lock, staleLockMs);
}

/** All of a repository: before a push, which would tell its sender about files that they cannot see. */
export async function breakStaleLocks(gitDir: string): Promise<void> {
  const refs = await readdir(join(gitDir, 'refs'), { recursive: true }).catch(() => []);
  const locks = [...refs.filter((name) => name.endsWith('.lock')).map((name) => join('refs', name)), 'packed-refs.lock', 'HEAD.lock', 'shallow.lock'];
  for (const lock of locks) await removeIfOlder(join(gitDir, lock), staleLockMs);
}

/** Folders in which a killed push has left what it had received. */
export async function removeAbandonedPushes(gitDir: string, olderThanMs: number): Promise<void> {
  const objects = join(gitDir, 'objects');
  for (const name of await readdir(objects).catch(() => [])) if (name.startsWith('tmp_objdir-')) await removeIfOlder(join(objects, name), olderThanMs);
}

async function removeIfOlder(path: string, ms: number): Promise<void> {
  const age = await stat(path).then(
    (s) => Date.now() - s.mtimeMs,
    () => 0,
  );
  if (age > ms) await rm(path, { recursive: true, force: true });
}

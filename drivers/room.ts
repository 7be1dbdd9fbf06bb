// Whether the disk of a folder has room left, and whether an error says that one has none.
import { statfsSync } from 'node:fs';

/** PostgreSQL writes its log in files of 16 MiB, and makes the next one before it needs it. */
const LEAST_FREE_BYTES = 24 * 2 ** 20;

/**
 * A sentence while the folder's disk is full, else undefined. A folder that cannot be looked at is not full.
 */
export function lacksRoom(folder: string): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    return free < LEAST_FREE_BYTES
      ? `The disk of ${folder} is full (${Math.floor(free / 2 ** 20)} MiB left). Free some space: everything then continues without a command.`
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * ENOSPC and EDQUOT of the system, class 53100 of PostgreSQL, or the words of programs that were asked to
 * write.
 */
export function saysDiskFull(error: unknown): boolean {
  for (let now: unknown = error, depth = 0; now instanceof Error && depth < 5; now = now.cause, depth += 1) {
    const code = 'code' in now ? now.code : undefined;
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === '53100' || isDiskFullText(now.message)) return true;
  }
  return false;
}

export function isDiskFullText(text: string): boolean {
  return /ENOSPC|EDQUOT|no space left on device|database or disk is full/i.test(text);
}

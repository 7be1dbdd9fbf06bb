// A part writes directly to its log file, so that the log continues without the supervisor; rotated by size.
import { closeSync, copyFileSync, existsSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';

const maxBytes = 10 * 2 ** 20;
const maxRotatedFiles = 3;

export function openLog(path: string): number {
  return openSync(path, 'a', 0o600);
}

/**
 * Moves a log that has grown too large aside (`.1` is the newest). The writer appends, so it continues at the
 * start of the emptied file.
 */
export function rotate(path: string, limit = maxBytes): void {
  if (!existsSync(path) || statSync(path).size <= limit) return;
  for (let n = maxRotatedFiles - 1; n >= 1; n -= 1) if (existsSync(`${path}.${n}`)) renameSync(`${path}.${n}`, `${path}.${n + 1}`);
  try {
    copyFileSync(path, `${path}.1`);
  } catch (error) {
    // Half a copy would take the room that is missing.
    rmSync(`${path}.1`, { force: true });
    throw error;
  }
  truncateSync(path);
}

/** The last `count` lines of a file, oldest first, and the offset behind them; reads at most its last MiB. */
export function tail(path: string, count: number): { lines: string[]; offset: number } {
  if (!existsSync(path)) return { lines: [], offset: 0 };
  const { bytes, end } = readFrom(path, Math.max(0, statSync(path).size - 2 ** 20));
  const lines = bytes.toString('utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return { lines: count > 0 ? lines.slice(-count) : [], offset: end };
}

/** What was written after `offset`; starts over when the file was rotated. */
export function readFrom(path: string, offset: number): { bytes: Buffer; end: number } {
  const handle = openSync(path, 'r');
  try {
    const { size } = fstatSync(handle);
    const start = size < offset ? 0 : offset;
    const buffer = Buffer.alloc(size - start);
    const length = readSync(handle, buffer, 0, buffer.length, start);
    return { bytes: buffer.subarray(0, length), end: start + length };
  } finally {
    closeSync(handle);
  }
}

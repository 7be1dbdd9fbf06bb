// Files that are whole or absent, whatever moment the machine loses power.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes `text` under a temporary name and renames it into place. */
export function writeWhole(path: string, text: string, mode = 0o600): void {
  const draft = writeDraft(path, text, mode);
  renameSync(draft, path);
}

/** Like writeWhole, but the first writer wins; returns the content that stands afterwards. */
export function writeOnce(path: string, text: string, mode = 0o600): string {
  const present = readText(path);
  if (present !== undefined) return present;
  const draft = writeDraft(path, text, mode);
  try {
    linkSync(draft, path);
    return text;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return readFileSync(path, 'utf8');
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The file's text, or undefined when there is no such file. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** The `code` of a system error (`ENOENT` …), if it has one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function writeDraft(path: string, text: string, mode: number): string {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const handle = openSync(draft, 'wx', mode);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  return draft;
}

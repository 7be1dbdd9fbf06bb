import { createHash } from 'node:crypto';

/** Of a template's files, unfilled: `sha256:` and 64 hexadecimal digits. */
export function templateDigest(files: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `sha256:${createHash('sha256').update(JSON.stringify(sorted)).digest('hex')}`;
}

// Where the version stands: package.json holds it, other tools insist on copies. `npm run release` writes
// them all.
import { readFile, writeFile } from 'node:fs/promises';

const NPM = /(?<=^ {2}"version": ")[^"]+/gm;
export const COPIES: readonly { file: string; line: RegExp }[] = [
  // Its own, then that of each package of this repository.
  { file: 'package-lock.json', line: /(?<=^ {2}"version": "|^ {4}"(?:|sdk\/client|sdk\/typescript)": \{\n(?: {6}"name": .*\n)? {6}"version": ")[^"]+/gm },
  { file: 'sdk/typescript/package.json', line: NPM },
  { file: 'sdk/client/package.json', line: NPM },
  { file: 'sdk/python/pyproject.toml', line: /(?<=^version = ")[^"]+/gm },
  { file: 'sdk/python/src/svc/version.py', line: /(?<=^__version__ = ")[^"]+/gm },
];
export const VERSIONED = [{ file: 'package.json', line: NPM }, ...COPIES];

export const root = new URL('../', import.meta.url);

/** `folder`: this repository, or one like it. */
export async function writeVersion(version: string, folder: URL = root): Promise<void> {
  for (const { file, line } of VERSIONED) {
    const text = await readFile(new URL(file, folder), 'utf8');
    const next = text.replace(line, version);
    if (next !== text) await writeFile(new URL(file, folder), next);
  }
}

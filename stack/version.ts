// The version of package.json, written to where other tools insist on a copy. npm version runs it.
import { readFile, writeFile } from 'node:fs/promises';
import { VERSION } from '#version.ts';

export const COPIES: readonly { file: string; line: RegExp }[] = [
  { file: 'sdk/typescript/package.json', line: /(?<="version": ")[^"]+/ },
  { file: 'sdk/client/package.json', line: /(?<="version": ")[^"]+/ },
  { file: 'sdk/python/pyproject.toml', line: /(?<=^version = ")[^"]+/m },
  { file: 'sdk/python/src/svc/version.py', line: /(?<=__version__ = ")[^"]+/ },
];

export const root = new URL('../', import.meta.url);

if (import.meta.main) {
  for (const { file, line } of COPIES) {
    const text = await readFile(new URL(file, root), 'utf8');
    await writeFile(new URL(file, root), text.replace(line, VERSION));
  }
}

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { VERSION } from '#version.ts';
import { COPIES, root } from './version.ts';

test.each(COPIES)('$file has the version of package.json: npm run version writes it', async ({ file, line }) => {
  expect(line.exec(await readFile(new URL(file, root), 'utf8'))?.[0]).toBe(VERSION);
});

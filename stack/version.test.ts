import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { VERSION } from '#version.ts';
import { COPIES, root, VERSIONED, writeVersion } from './version.ts';

const PLACES: Readonly<Record<string, number>> = { 'package-lock.json': 4 };

test.each(COPIES)('$file has the version of package.json: npm run release writes it', async ({ file, line }) => {
  const found = (await readFile(new URL(file, root), 'utf8')).match(line);
  expect(found).toEqual(Array.from({ length: PLACES[file] ?? 1 }, () => VERSION));
});

test('a new version is written to all of them, and to nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-version-'));
  try {
    for (const { file } of VERSIONED) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await cp(fileURLToPath(new URL(file, root)), join(folder, file));
    }
    await writeVersion('77.8.9', pathToFileURL(`${folder}/`));
    for (const { file } of VERSIONED) {
      const [before = [], after = []] = (await Promise.all([readFile(new URL(file, root), 'utf8'), readFile(join(folder, file), 'utf8')])).map((text) =>
        text.split('\n'),
      );
      const changed = after.filter((line, i) => line !== before[i]);
      expect(changed, file).toHaveLength(PLACES[file] ?? 1);
      for (const line of changed) expect(line).toContain('"77.8.9"');
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from './folder.ts';

test('what a killed process left a day ago is cleared, and nothing younger', async () => {
  const root = await mkdtemp(join(tmpdir(), 'svc-scratch-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, 'scratch');
  await mkdir(join(folder, 'old'), { recursive: true });
  await writeFile(join(folder, 'young'), 'x');
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
  await utimes(join(folder, 'old'), twoDaysAgo, twoDaysAgo);
  const scratch = scratchFolder(folder);
  expect(await scratch()).toBe(folder);
  expect(await readdir(folder)).toEqual(['young']);
  expect(await scratch()).toBe(folder);
});

import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_FILE_BYTES } from '../../../contract/wire/limits.ts';
import { folderStore } from './local-store.ts';

test('the largest file that a workspace takes is read, and none that is larger', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-workspace-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const store = folderStore(folder);
  await writeFile(join(folder, 'video.mp4'), '');
  await truncate(join(folder, 'video.mp4'), MAX_FILE_BYTES);
  expect((await store.read('video.mp4'))?.length).toBe(MAX_FILE_BYTES);
  await truncate(join(folder, 'video.mp4'), MAX_FILE_BYTES + 1);
  expect(await store.read('video.mp4')).toBeUndefined();
});

import { mkdtemp, readdir, rm, utimes, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { storageConformance } from './conformance.ts';
import { diskStorage } from './disk.ts';

const folders: string[] = [];
async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-storage-'));
  folders.push(folder);
  return folder;
}
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

describe('disk storage', () => {
  storageConformance(async () => diskStorage({ root: await emptyFolder() }));

  it('leaves no temporary file behind, whether a put succeeds or fails', async () => {
    const root = await emptyFolder();
    const storage = diskStorage({ root });
    await storage.put('a/b', Readable.from([Buffer.from('x')]));
    await expect(storage.put('c', Readable.from([{}], { objectMode: true }))).rejects.toThrow(TypeError);
    expect(await readdir(await storage.scratch())).toEqual([]);
  });

  it('clears what a killed process left a day ago, and nothing younger', async () => {
    const root = await emptyFolder();
    await mkdir(join(root, 'scratch'));
    await writeFile(join(root, 'scratch', 'old'), 'x');
    await writeFile(join(root, 'scratch', 'young'), 'x');
    const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
    await utimes(join(root, 'scratch', 'old'), twoDaysAgo, twoDaysAgo);
    expect(await readdir(await diskStorage({ root }).scratch())).toEqual(['young']);
  });
});

import { mkdtemp, readdir, rm } from 'node:fs/promises';
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

  it('leaves no temporary file behind, whatever becomes of an upload', async () => {
    const root = await emptyFolder();
    const storage = diskStorage({ root });
    await storage.put('a/b', Readable.from([Buffer.from('x')]));
    await expect(storage.put('c', Readable.from([{}], { objectMode: true }))).rejects.toThrow(TypeError);
    await (await storage.stage(Readable.from([Buffer.from('x')]))).drop();
    await (await storage.stage(Readable.from([Buffer.from('x')]))).keep('d');
    await expect((await storage.stage(Readable.from([Buffer.from('x')]))).keep('../d')).rejects.toThrow();
    expect(await readdir(join(root, 'scratch'))).toEqual([]);
  });
});

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { packProject, type ProjectFile } from './pack.ts';
import { unpackSource } from './unpack.ts';

const FILES: ProjectFile[] = [
  { path: 'src/run.sh', content: '#!/bin/sh\n', executable: true },
  { path: 'svc.yaml', content: 'name: packed\n' },
  { path: 'data.bin', content: new Uint8Array([0, 255, 10]) },
];

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'svc-pack-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

test('what was packed unpacks byte for byte, with its modes', async () => {
  const [into, unpacked] = [await folder(), await folder()];
  expect(await unpackSource(Readable.from(await packProject(into, FILES)), unpacked)).toMatchObject({ files: 3 });
  for (const { path, content, executable } of FILES) {
    expect(await readFile(join(unpacked, path))).toEqual(Buffer.from(content));
    expect((await stat(join(unpacked, path))).mode & 0o100).toBe(executable === true ? 0o100 : 0);
  }
});

test('the same files in another order give the same bytes', async () => {
  const hash = async (files: ProjectFile[]): Promise<string> => {
    const packed = Readable.from(await packProject(await folder(), files));
    return createHash('sha256')
      .update(await buffer(packed))
      .digest('hex');
  };
  expect(await hash(FILES)).toBe(await hash(FILES.toReversed()));
});

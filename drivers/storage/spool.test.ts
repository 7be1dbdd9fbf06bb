import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { spooled } from './spool.ts';

test('no file stays open of what was put, nor of what broke off', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-spool-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const open = async (): Promise<string[]> => {
    const numbers = await readdir('/proc/self/fd');
    const files = await Promise.all(numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')));
    return files.filter((file) => file.startsWith(folder));
  };
  const seen: string[][] = [];
  const { put, stage } = spooled(
    async () => folder,
    async () => void seen.push(await open()),
  );
  await put('a', Readable.from(['text']));
  const breaking = Readable.from(
    (async function* () {
      yield 'one piece';
      seen.push(await open());
      throw new Error('it broke off');
    })(),
  );
  await expect(stage(breaking)).rejects.toThrow('it broke off');
  expect(seen).toEqual([[], [expect.stringContaining('put-')]]);
  expect([await open(), await readdir(folder)]).toEqual([[], []]);
});

import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDependencyCaches } from './cache.ts';

let dir = '';
beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), 'svc-deps-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));

test('gives back what was put in; unknown keys are unknown', async () => {
  const cache = createDependencyCaches(dir, 1e9).of('ada');
  const bytes = randomBytes(300_000);
  await cache.write('aa', Readable.from([bytes]));
  const found = await cache.read('aa');
  expect(found !== undefined && (await buffer(found)).equals(bytes)).toBe(true);
  expect(await cache.read('bb')).toBeUndefined();
});

test('a write that fails leaves nothing', async () => {
  const cache = createDependencyCaches(dir, 1e9).of('ada');
  const broken = Readable.from(
    (async function* () {
      yield randomBytes(10);
      throw new Error('the guest ended');
    })(),
  );
  await expect(cache.write('aa', broken)).rejects.toThrow('the guest ended');
  expect(await readdir(dir)).toEqual([]);
});

test('the least recently used go when it grows too large', async () => {
  const cache = createDependencyCaches(dir, 250_000).of('ada');
  for (const [index, key] of ['aa', 'bb'].entries()) {
    await cache.write(key, Readable.from([randomBytes(100_000)]));
    const long = new Date(Date.now() - 1_000_000 + index * 1_000);
    await utimes(join(dir, `ada.${key}.tar.zst`), long, long);
  }
  (await cache.read('aa'))?.destroy();
  await cache.write('cc', Readable.from([randomBytes(100_000)]));
  expect((await readdir(dir)).sort()).toEqual(['ada.aa.tar.zst', 'ada.cc.tar.zst']);
});

test('entries of one tenant are invisible to others, and count for the ceiling of all', async () => {
  const caches = createDependencyCaches(dir, 150_000);
  await caches.of('ada').write('aa', Readable.from([randomBytes(100_000)]));
  expect(await caches.of('ada').keys()).toContain('aa');
  expect(await caches.of('ben').keys()).toEqual([]);
  expect(await caches.of('ben').read('aa')).toBeUndefined();
  await caches.of('ben').write('aa', Readable.from([randomBytes(100_000)]));
  expect(await caches.of('ada').read('aa')).toBeUndefined();
});

import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDependencyCaches } from './cache.ts';
import { BuildPlans, limitsOf } from './plans.ts';

const plan = limitsOf({ plans: BuildPlans.parse({ default: { disk_mib: 1 } }) }, 'ada');
let dir = '';
beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), 'svc-deps-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));

test('gives back what was put in; unknown keys are unknown', async () => {
  const cache = createDependencyCaches(dir, 1e9).of('ada');
  const bytes = randomBytes(300_000);
  await cache.write('aa', Readable.from([bytes]), plan);
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
  await expect(cache.write('aa', broken, plan)).rejects.toThrow('the guest ended');
  expect(await readdir(dir)).toEqual([]);
});

test('the least recently used go when it grows too large', async () => {
  const cache = createDependencyCaches(dir, 250_000).of('ada');
  for (const [index, key] of ['aa', 'bb'].entries()) {
    await cache.write(key, Readable.from([randomBytes(100_000)]), plan);
    const long = new Date(Date.now() - 1_000_000 + index * 1_000);
    await utimes(join(dir, `ada.${key}.tar.zst`), long, long);
  }
  (await cache.read('aa'))?.destroy();
  await cache.write('cc', Readable.from([randomBytes(100_000)]), plan);
  expect((await readdir(dir)).sort()).toEqual(['ada.aa.tar.zst', 'ada.cc.tar.zst']);
});

test('entries of one tenant are invisible to others, and count for the ceiling of all', async () => {
  const caches = createDependencyCaches(dir, 150_000);
  await caches.of('ada').write('aa', Readable.from([randomBytes(100_000)]), plan);
  expect(await caches.of('ada').keys()).toContain('aa');
  expect(await caches.of('ben').keys()).toEqual([]);
  expect(await caches.of('ben').read('aa')).toBeUndefined();
  await caches.of('ben').write('aa', Readable.from([randomBytes(100_000)]), plan);
  expect(await caches.of('ada').read('aa')).toBeUndefined();
});

test('an archive larger than a build may write is refused, however small it is kept; nothing of it stays', async () => {
  const cache = createDependencyCaches(dir, 1e9).of('mallory');
  let given = 0;
  const endless = Readable.from(
    (function* () {
      for (; given < 1_000; given += 1) yield Buffer.alloc(100_000);
    })(),
  );
  await expect(cache.write('aa', endless, plan)).rejects.toMatchObject({
    code: 'build_failed',
    message: expect.stringMatching(/larger than the 1 MiB.*plan "default"/),
  });
  expect(given).toBeLessThan(100);
  expect(await readdir(dir)).toEqual([]);
});

test('who fills it loses their own, the least recently used first, and not what others use less', async () => {
  const caches = createDependencyCaches(dir, 350_000);
  await caches.of('ada').write('aa', Readable.from([randomBytes(100_000)]), plan);
  const long = new Date(Date.now() - 1_000_000);
  await utimes(join(dir, 'ada.aa.tar.zst'), long, long);
  for (const key of ['m1', 'm2', 'm3', 'm4']) {
    await caches.of('mallory').write(key, Readable.from([randomBytes(100_000)]), plan);
    const at = new Date(Date.now() - 900_000 + Number(key[1]) * 1_000);
    await utimes(join(dir, `mallory.${key}.tar.zst`), at, at);
  }
  expect((await readdir(dir)).sort()).toEqual(['ada.aa.tar.zst', 'mallory.m3.tar.zst', 'mallory.m4.tar.zst']);
});

// What a guest gives as the result of a build, unpacked on the host: whatever the guest sends, it costs the
// host no more than a plan allows, and stays in its folder.
import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rawEntry, rawPax, rawTar, type RawEntry } from '#core/agents/source/tar-fixture.ts';
import { takeOut } from './steps.ts';

const MIB = 1_048_576;
const tenant = { plan: 'free', limits: { image_mib: 4, disk_mib: 64 } } as Parameters<typeof takeOut>[2];
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-take-out-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const plain = (parts: (RawEntry | Buffer)[]): Readable => Readable.from([gunzipSync(rawTar(parts))]);

/** Bytes of all files below the folder. */
async function held(): Promise<number> {
  const sizes = (await readdir(dir, { recursive: true })).map(async (name) => (await lstat(join(dir, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test('an archive that is compressed would unpack to any size: it is refused before', async () => {
  const zeros = Buffer.alloc(MIB);
  const bomb = Readable.from(
    (function* () {
      yield rawEntry({ path: 'app/zeros', size: 600 * MIB }).subarray(0, 512);
      for (let n = 0; n < 600; n += 1) yield zeros;
      yield Buffer.alloc(1024);
    })(),
    { objectMode: false },
  ).pipe(createGzip({ level: 1 }));
  await expect(takeOut(bomb, dir, tenant)).rejects.toMatchObject({ code: 'build_failed', message: expect.stringContaining('plain tar') });
  expect(await held()).toBeLessThan(80 * MIB);
  // A header of gzip may hold what looks like the head of an entry.
  const gzip = gzipSync(gunzipSync(rawTar([{ path: 'app/agent.js', body: 'x' }])));
  const extra = Buffer.alloc(600, ' ');
  extra.write('ustar', 257 - 12);
  const disguised = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, extra.length & 255, extra.length >> 8]), extra, gzip.subarray(10)]);
  await expect(takeOut(Readable.from([disguised]), dir, tenant)).rejects.toMatchObject({ message: expect.stringContaining('plain tar') });
});

test('more bytes than the plan has are refused while they arrive', async () => {
  let given = 0;
  const endless = Readable.from(
    (function* () {
      yield rawEntry({ path: 'app/zeros', size: 8_000_000_000 }).subarray(0, 512);
      for (; given < 10_000; given += 1) yield Buffer.alloc(MIB);
    })(),
    { objectMode: false },
  );
  await expect(takeOut(endless, dir, tenant)).rejects.toMatchObject({ code: 'build_failed', message: expect.stringContaining('4 MiB') });
  expect(given).toBeLessThan(200);
});

test('links, devices, pipes, absolute paths and ".." come to nothing; nothing outside of the folder is touched', async () => {
  const outside = join(dir, 'outside');
  await writeFile(outside, 'mine');
  const parts: RawEntry[] = [
    { path: 'app/agent.js', body: 'x' },
    { path: 'app/link', type: '2', link: outside },
    { path: 'app/link/below', body: 'y' },
    { path: 'app/hard', type: '1', link: outside },
    { path: 'app/hard', body: 'y' },
    { path: 'app/folder', type: '2', link: dir },
    { path: 'app/folder/outside', body: 'y' },
    { path: 'app/char', type: '3' },
    { path: 'app/block', type: '4' },
    { path: 'app/pipe', type: '6' },
    { path: '../outside', body: 'y' },
    { path: 'app/../../outside', body: 'y' },
    { path: outside, body: 'y' },
  ];
  const tree = await takeOut(plain([...parts, rawPax([`path=../outside`]), { path: 'p', body: 'y' }]), dir, tenant);
  expect(await lstat(outside)).toMatchObject({ size: 4, nlink: 1 });
  const found = await readdir(tree, { recursive: true, withFileTypes: true });
  expect(found.filter((one) => !one.isFile() && !one.isDirectory()).map(({ name }) => name)).toEqual([]);
  expect((await readdir(dir)).toSorted()).toEqual(['out', 'outside']);
});

test('a million entries, and headers without end', async () => {
  const many = Buffer.concat(Array.from({ length: 1_000 }, (_, n) => rawEntry({ path: `app/f${n}`, type: '2', link: 'x' })));
  const entries = Readable.from(Array.from({ length: 60 }, () => many));
  await expect(takeOut(entries, dir, tenant)).rejects.toMatchObject({ message: expect.stringContaining('50000 files') });
  const pax = rawPax([`comment=${'c'.repeat(3 * MIB)}`]);
  const tree = await takeOut(plain([pax, { path: 'app/after', body: 'x' }]), dir, tenant).catch((error: unknown) => error);
  expect(await held()).toBeLessThan(20 * MIB);
  expect(tree).toBeDefined();
});

test('folders that only names imply count as files do', async () => {
  const deep = (nth: number): (RawEntry | Buffer)[] => [rawPax([`path=app/${nth}/${'x/'.repeat(90)}f`]), { path: 'p', body: 'x' }];
  const few = plain(Array.from({ length: 20 }, (_, nth) => deep(nth)).flat());
  await expect(takeOut(few, dir, tenant, undefined, 500)).rejects.toMatchObject({ message: expect.stringContaining('500 files') });
  expect((await readdir(join(dir, 'out'), { recursive: true })).length).toBeLessThan(600);
  // Folders that are entries of their own count once.
  await rm(join(dir, 'out'), { recursive: true });
  const usual = ['app/', 'app/a/', 'app/a/b/'].map((path) => ({ path, type: '5' }));
  const files = Array.from({ length: 10 }, (_, nth) => ({ path: `app/a/b/${nth}`, body: 'x' }));
  expect(await takeOut(plain([...usual, ...files]), dir, tenant, undefined, 13)).toBe(join(dir, 'out'));
});

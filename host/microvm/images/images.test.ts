import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cached, exists } from './cache.ts';
import { archive } from './initrd.ts';
import { unlz4 } from './lz4.ts';

let dir: string;
beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'svc-cache-test-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('the cache', () => {
  it('lets one builder make a thing, however many ask', async () => {
    let made = 0;
    const make = async (path: string) => {
      made++;
      await new Promise((resolve) => setImmediate(resolve));
      await writeFile(path, 'whole');
    };
    const paths = await Promise.all(Array.from({ length: 5 }, () => cached(dir, 'thing', make)));
    expect(made).toBe(1);
    expect(new Set(paths).size).toBe(1);
    expect(await readFile(join(dir, 'thing'), 'utf8')).toBe('whole');
  });

  it('keeps nothing of a failed or interrupted attempt', async () => {
    await writeFile(join(dir, 'thing.partial-of-a-killed-builder'), 'half');
    await expect(
      cached(dir, 'thing', async (path) => {
        await writeFile(path, 'half');
        throw new Error('no space');
      }),
    ).rejects.toThrow('no space');
    expect(await readdir(dir)).toEqual([]);
    await cached(dir, 'thing', (path) => writeFile(path, 'whole'));
    expect(await exists(join(dir, 'thing'))).toBe(true);
  });
});

describe('the kernel packing', () => {
  it('unpacks literals and overlapping matches', () => {
    // "abc" as literals, then a match of 9 bytes at distance 3, then the literals "end"
    const block = Buffer.from([0x35, 0x61, 0x62, 0x63, 3, 0, 0x30, 0x65, 0x6e, 0x64]);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(block.length);
    expect(unlz4(Buffer.concat([Buffer.from([2, 0x21, 0x4c, 0x18]), length, block])).toString()).toBe('abcabcabcabcend');
  });
});

describe('the RAM disk', () => {
  it('is a cpio archive with aligned entries and a trailer', () => {
    const bytes = archive([{ name: 'init', mode: 0o100755, bytes: Buffer.from('12345') }]);
    expect(bytes.toString('latin1', 0, 6)).toBe('070701');
    expect(parseInt(bytes.toString('latin1', 14, 22), 16)).toBe(0o100755);
    expect(parseInt(bytes.toString('latin1', 54, 62), 16)).toBe(5);
    const data = bytes.indexOf('12345');
    expect(data % 4).toBe(0);
    expect(bytes.indexOf('070701', data) % 4).toBe(0);
    expect(bytes.includes('TRAILER!!!')).toBe(true);
  });
});

// What every storage driver must do. A driver's test calls this with a way to make an empty storage.
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { ListedStorage } from './port.ts';

export function storageConformance(make: () => Promise<ListedStorage>): void {
  it('gives back what was put, with its length and hash', async () => {
    const storage = await make();
    const bytes = randomBytes(300_000);
    const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 70_000), bytes.subarray(70_000)];
    const put = await storage.put('sources/a-1/x.y.tgz', Readable.from(pieces));
    expect(put).toEqual({ size_bytes: 300_000, sha256: createHash('sha256').update(bytes).digest('hex') });
    expect(await buffer(await storage.get('sources/a-1/x.y.tgz'))).toEqual(bytes);
  });

  it('gives a part of an object, by its first and last byte', async () => {
    const storage = await make();
    const bytes = randomBytes(200_000);
    await storage.put('parts', Readable.from([bytes]));
    for (const [start, end] of [
      [0, 0],
      [0, 199_999],
      [1, 70_000],
      [199_999, 199_999],
    ] as const) {
      expect(await buffer(await storage.get('parts', { start, end }))).toEqual(bytes.subarray(start, end + 1));
    }
    await expect(storage.get('no-parts', { start: 0, end: 1 })).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('knows how much there is', async () => {
    const storage = await make();
    await storage.put('sized', Readable.from([Buffer.alloc(1_234)]));
    expect(await storage.size('sized')).toBe(1_234);
    expect(await storage.size('unsized')).toBeUndefined();
  });

  it('takes in what gets its key when it is whole; until then it is under none', async () => {
    const storage = await make();
    for (const bytes of [randomBytes(100_000), Buffer.alloc(0)]) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const staged = await storage.stage(Readable.from([bytes]));
      expect(staged).toMatchObject({ size_bytes: bytes.length, sha256 });
      const key = `cas/${sha256}`;
      expect(await storage.exists(key)).toBe(false);
      await staged.keep(key);
      await staged.drop();
      expect(await buffer(await storage.get(key))).toEqual(bytes);
    }
  });

  it('stages alike contents side by side, and keeps one that replaces another', async () => {
    const storage = await make();
    const [one, two] = await Promise.all([storage.stage(Readable.from([Buffer.from('same')])), storage.stage(Readable.from([Buffer.from('same')]))]);
    await Promise.all([one.keep('cas/same'), two.keep('cas/same')]);
    expect((await buffer(await storage.get('cas/same'))).toString()).toBe('same');
  });

  it('drops what is not wanted or gets no valid key, and does not destroy the stream of one that is refused half-way', async () => {
    const storage = await make();
    const unwanted = await storage.stage(Readable.from([Buffer.from('x')]));
    await unwanted.drop();
    await unwanted.drop();
    await expect((await storage.stage(Readable.from([Buffer.from('x')]))).keep('../a')).rejects.toMatchObject({ code: 'storage_key_invalid' });
    const body = new Readable({ read: () => undefined });
    body.push(Buffer.alloc(10));
    async function* refusing(): AsyncGenerator<Uint8Array> {
      for await (const piece of body.iterator({ destroyOnReturn: false })) {
        yield piece;
        throw new Error('too large');
      }
    }
    await expect(storage.stage(refusing())).rejects.toThrow('too large');
    expect(body.destroyed).toBe(false);
    body.destroy();
  });

  it('keeps empty objects', async () => {
    const storage = await make();
    expect((await storage.put('empty', Readable.from([]))).size_bytes).toBe(0);
    expect(await storage.exists('empty')).toBe(true);
    expect(await buffer(await storage.get('empty'))).toHaveLength(0);
  });

  it('keeps an object beside objects below its key', async () => {
    const storage = await make();
    await storage.put('a/b', Readable.from([Buffer.from('below')]));
    await storage.put('a', Readable.from([Buffer.from('above')]));
    expect((await buffer(await storage.get('a'))).toString()).toBe('above');
    expect((await buffer(await storage.get('a/b'))).toString()).toBe('below');
  });

  it('replaces a whole object; a reader that began before keeps the old one', async () => {
    const storage = await make();
    await storage.put('k', Readable.from([Buffer.from('old')]));
    const reader = await storage.get('k');
    await storage.put('k', Readable.from([Buffer.from('new')]));
    expect((await buffer(reader)).toString()).toBe('old');
    expect((await buffer(await storage.get('k'))).toString()).toBe('new');
  });

  it('keeps nothing of an upload that breaks off', async () => {
    const storage = await make();
    const broken = Readable.from(
      (async function* () {
        yield Buffer.alloc(100_000);
        throw new Error('connection lost');
      })(),
    );
    await expect(storage.put('half', broken)).rejects.toThrow('connection lost');
    expect(await storage.exists('half')).toBe(false);
    await expect(storage.get('half')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('concurrent writers of one key leave one whole object', async () => {
    const storage = await make();
    const bodies = Array.from({ length: 8 }, (_, n) => Buffer.alloc(50_000, n));
    await Promise.all(bodies.map((body) => storage.put('same', Readable.from([body]))));
    const storedBody = await buffer(await storage.get('same'));
    expect(bodies.some((body) => body.equals(storedBody))).toBe(true);
  });

  it('lists the keys below a folder, and no others', async () => {
    const storage = await make();
    expect(await Array.fromAsync(storage.list('a'))).toEqual([]);
    const keys = ['a/b', 'a/b/c', 'a/d.e/f', 'ab', 'b/a'];
    for (const key of keys) await storage.put(key, Readable.from([Buffer.from(key)]));
    expect((await Array.fromAsync(storage.list('a'))).toSorted()).toEqual(keys.slice(0, 3));
    expect(await Array.fromAsync(storage.list('a/b'))).toEqual(['a/b/c']);
  });

  it('deletes, and deleting what does not exist is no error', async () => {
    const storage = await make();
    await storage.put('gone', Readable.from([Buffer.from('x')]));
    await storage.delete('gone');
    await storage.delete('gone');
    expect(await storage.exists('gone')).toBe(false);
  });

  it.each(['', '/a', 'a/', 'a//b', '../a', 'a/../b', './a', 'a\0', 'A', 'a b', 'ä', 'a'.repeat(600)])('refuses the key %j', async (key) => {
    const storage = await make();
    await expect(storage.put(key, Readable.from([Buffer.from('x')]))).rejects.toMatchObject({ code: 'storage_key_invalid' });
    await expect(storage.get(key)).rejects.toMatchObject({ code: 'storage_key_invalid' });
    await expect(storage.delete(key)).rejects.toMatchObject({ code: 'storage_key_invalid' });
  });
}

import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { bucketOf } from '../grant/bucket.ts';
import { blobKey, HEAD_BYTES, storeBlob } from './store.ts';
import { sweepBlobs } from './sweep.ts';

let t: TestContext;
let ada: TestUser;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
});
afterAll(() => t.close());

const bytes = (content: Buffer | string) => Readable.from([Buffer.from(content)]);
const later = (hours: number): Ctx => ({ ...t.ctx, clock: () => Date.now() + hours * 3_600_000 });
const storage = () => t.ctx.drivers.storage;
const kept = async (sha256: string) => [await storage().exists(blobKey(sha256)), (await t.ctx.db('blobs').where({ sha256 }).first('sha256')) !== undefined];

test('a content is kept under the hash of what came, with its beginning told', async () => {
  const content = randomBytes(HEAD_BYTES + 70_000);
  const stored = await storeBlob(t.ctx, Readable.from([content.subarray(0, 100_000), content.subarray(100_000)]), content.length);
  expect(stored).toMatchObject({ sha256: createHash('sha256').update(content).digest('hex'), size_bytes: content.length });
  expect(stored.head).toEqual(content.subarray(0, HEAD_BYTES));
  expect(await buffer(await storage().get(blobKey(stored.sha256)))).toEqual(content);
});

test('the same content, stored by many at once, is one object and one row', async () => {
  const content = randomBytes(50_000);
  const all = await Promise.all(Array.from({ length: 20 }, () => storeBlob(t.ctx, bytes(content), 100_000)));
  expect(new Set(all.map(({ sha256 }) => sha256)).size).toBe(1);
  const [{ sha256 } = { sha256: '' }] = all;
  expect(await t.ctx.db('blobs').where({ sha256 })).toHaveLength(1);
  expect(await buffer(await storage().get(blobKey(sha256)))).toEqual(content);
  expect(await readdir(join(t.stateDir, 'storage', 'scratch'))).toEqual([]);
});

test('what is too large, and what breaks off, leaves nothing behind', async () => {
  const [rows] = await t.ctx.db('blobs').count('* as n');
  await expect(storeBlob(t.ctx, bytes('x'.repeat(11)), 10)).rejects.toMatchObject({ code: 'content_too_large' });
  const broken = new Readable({ read() {} });
  broken.push(Buffer.alloc(10));
  setImmediate(() => broken.destroy(new Error('aborted')));
  await expect(storeBlob(t.ctx, broken, 100)).rejects.toMatchObject({ code: 'upload_broken' });
  expect(await t.ctx.db('blobs').count('* as n')).toEqual([rows]);
  expect(await readdir(join(t.stateDir, 'storage', 'scratch'))).toEqual([]);
});

test('the sweeper takes what nothing refers to for a day, and nothing else', async () => {
  const [used, idle] = [await storeBlob(t.ctx, bytes('used'), 100), await storeBlob(t.ctx, bytes('idle'), 100)];
  const { sha256, size_bytes } = used;
  const owner_id = ada.actor.user_id;
  await t.ctx.db('files').insert({ bucket: bucketOf(owner_id), path: 'used', owner_id, sha256, size_bytes, mime_type: 'text/plain', file_type: 'text' });
  await sweepBlobs(later(23));
  expect(await kept(idle.sha256)).toEqual([true, true]);
  await sweepBlobs(later(25));
  expect(await kept(idle.sha256)).toEqual([false, false]);
  expect(await kept(used.sha256)).toEqual([true, true]);
});

test('a content that is stored while the sweeper deletes it exists afterwards', async () => {
  for (let round = 0; round < 30; round += 1) {
    const content = `round ${round}`;
    await storeBlob(t.ctx, bytes(content), 100);
    // To the storing side it is tomorrow: what it stores anew is young to the sweeper.
    const [again] = await Promise.all([storeBlob(later(30), bytes(content), 100), sweepBlobs(later(25)), sweepBlobs(later(25))]);
    expect(await kept(again.sha256), content).toEqual([true, true]);
  }
});

test('a row whose object was lost in a crash does not keep the content away', async () => {
  const { sha256 } = await storeBlob(t.ctx, bytes('lost'), 100);
  await storage().delete(blobKey(sha256));
  await storeBlob(t.ctx, bytes('lost'), 100);
  expect(await kept(sha256)).toEqual([true, true]);
});

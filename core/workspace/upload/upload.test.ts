import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_PART_BYTES, MAX_UPLOAD_BYTES } from '#contract/wire/limits.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { sweepBlobs } from '../blob/sweep.ts';
import { MAX_BUCKET_BYTES } from '../file/bucket-usage.ts';
import type { Conditions } from '../file/conditions.ts';
import { getFile } from '../file/read.ts';
import { bucketOf } from '../grant/bucket.ts';
import { appendUpload } from './append.ts';
import { beginUpload, MAX_OPEN_UPLOADS } from './begin.ts';
import { cancelUpload } from './cancel.ts';
import { getUpload, listUploads } from './find.ts';
import { sweepUploads } from './sweep.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
});
afterAll(() => t.close());

const in64 = (value: string): string => Buffer.from(value).toString('base64');
const digest = (bytes: Buffer): string => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
interface Start {
  digest?: string;
  conditions?: Conditions;
  media?: string;
}
const begin = (who: TestUser, path: string, size_bytes: number, { digest: said, conditions = {}, media }: Start = {}) =>
  beginUpload(who, { size_bytes, metadata: `path ${in64(path)}${media === undefined ? '' : `,filetype ${in64(media)}`}`, digest: said, conditions });
const append = (who: TestUser, upload_id: string, offset: number, ...chunks: (Buffer | string)[]) =>
  appendUpload(who, { upload_id, offset, body: Readable.from(chunks.map((chunk) => Buffer.from(chunk))) });
const content = async (who: TestUser, path: string) => text(await (await getFile(who, { path })).open());
const usage = async (who: TestUser) => t.ctx.db('buckets').where({ bucket: bucketOf(who.actor.user_id) }).first('reserved_files', 'reserved_bytes'); // prettier-ignore

test('a file comes in parts, and is there when all have come', async () => {
  const { upload_id } = await begin(ada, 'big/a.txt', 11, { digest: digest(Buffer.from('hello world')), media: 'text/x-log' });
  expect(await append(ada, upload_id, 0, 'hel', 'lo')).toBe(5);
  await expect(content(ada, 'big/a.txt')).rejects.toMatchObject({ code: 'file_not_found' });
  expect(await getUpload(ada, { upload_id })).toMatchObject({ received_bytes: 5, state: 'open', parts: [{ start: 0, size_bytes: 5 }] });
  expect(await append(ada, upload_id, 5, ' world')).toBe(11);
  expect(await content(ada, 'big/a.txt')).toBe('hello world');
  expect(await getFile(ada, { path: 'big/a.txt' })).toMatchObject({ mime_type: 'text/x-log' });
  expect(await getUpload(ada, { upload_id })).toMatchObject({ received_bytes: 11, state: 'stored' });
  expect((await listUploads(ada)).items).toEqual([]);
});

test('one request of any length is kept in parts, so that what breaks off loses little', async () => {
  const bytes = randomBytes(2 * MAX_PART_BYTES + 1_000);
  const { upload_id } = await begin(ada, 'big/parts.bin', bytes.length);
  const body = Readable.from(
    (async function* () {
      yield bytes.subarray(0, MAX_PART_BYTES + 5);
      throw Object.assign(new Error('gone'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
    })(),
  );
  await expect(appendUpload(ada, { upload_id, offset: 0, body })).rejects.toMatchObject({ code: 'upload_broken' });
  const { received_bytes, parts } = await getUpload(ada, { upload_id });
  expect(received_bytes).toBe(MAX_PART_BYTES + 5);
  expect(parts.map(({ size_bytes }) => size_bytes)).toEqual([MAX_PART_BYTES, 5]);
  expect(parts[0]?.sha256).toBe(createHash('sha256').update(bytes.subarray(0, MAX_PART_BYTES)).digest('hex'));
  await append(ada, upload_id, received_bytes, bytes.subarray(received_bytes));
  expect((await getFile(ada, { path: 'big/parts.bin' })).sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
});

test('a part that comes twice, early or at the same time as another is refused, and what is kept stays whole', async () => {
  const { upload_id } = await begin(ada, 'big/order.txt', 6);
  await expect(append(ada, upload_id, 2, 'cd')).rejects.toMatchObject({ code: 'upload_offset', details: { offset: 0 } });
  await append(ada, upload_id, 0, 'ab');
  await expect(append(ada, upload_id, 0, 'ab')).rejects.toMatchObject({ code: 'upload_offset', details: { offset: 2 } });
  const tabs = await Promise.allSettled([append(ada, upload_id, 2, 'cd'), append(ada, upload_id, 2, 'cd')]);
  expect(tabs.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const ends = await Promise.allSettled([append(ada, upload_id, 4, 'ef'), append(ada, upload_id, 4, 'ef')]);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await content(ada, 'big/order.txt')).toBe('abcdef');
  const writes = await t.ctx.db('audit_log').where({ action: 'file.write', target_id: `${bucketOf(ada.actor.user_id)}/big/order.txt` });
  expect(writes).toHaveLength(2);
});

test('more than was announced is refused, and so is what does not have the digest', async () => {
  const more = await begin(ada, 'big/more.txt', 3);
  await expect(append(ada, more.upload_id, 0, 'abcd')).rejects.toMatchObject({ code: 'content_too_large' });
  await expect(content(ada, 'big/more.txt')).rejects.toMatchObject({ code: 'file_not_found' });
  const other = await begin(ada, 'big/other.txt', 3, { digest: digest(Buffer.from('abc')) });
  await append(ada, other.upload_id, 0, 'ab');
  await expect(append(ada, other.upload_id, 2, 'x')).rejects.toMatchObject({ code: 'digest_mismatch' });
  await expect(content(ada, 'big/other.txt')).rejects.toMatchObject({ code: 'file_not_found' });
  await expect(getUpload(ada, other)).rejects.toMatchObject({ code: 'upload_not_found' });
  for (const said of ['sha-256=abc', 'md5=:AAAA:']) await expect(begin(ada, 'x', 1, { digest: said })).rejects.toMatchObject({ code: 'invalid_input' });
});

test("another tenant's upload does not exist", async () => {
  const { upload_id } = await begin(ada, 'big/mine.txt', 3);
  for (const act of [() => getUpload(ben, { upload_id }), () => cancelUpload(ben, { upload_id }), () => append(ben, upload_id, 0, 'abc')]) {
    await expect(act()).rejects.toMatchObject({ code: 'upload_not_found' });
  }
  expect((await listUploads(ben)).items).toEqual([]);
  await cancelUpload(ada, { upload_id });
  await expect(append(ada, upload_id, 0, 'abc')).rejects.toMatchObject({ code: 'upload_not_found' });
});

test('conditions hold at the beginning and at the end', async () => {
  const none = { conditions: { 'if-none-match': '*' } };
  const { upload_id } = await begin(ben, 'once.txt', 2, none);
  await append(ben, (await begin(ben, 'once.txt', 2)).upload_id, 0, 'hi');
  await expect(begin(ben, 'once.txt', 2, none)).rejects.toMatchObject({ code: 'file_exists' });
  await expect(append(ben, upload_id, 0, 'ho')).rejects.toMatchObject({ code: 'file_exists' });
  expect(await content(ben, 'once.txt')).toBe('hi');
  await cancelUpload(ben, { upload_id });
});

test('an empty file needs no bytes', async () => {
  const { upload_id, state } = await begin(ada, 'big/empty.txt', 0);
  expect(state).toBe('stored');
  expect(await content(ada, 'big/empty.txt')).toBe('');
  expect(await append(ada, upload_id, 0)).toBe(0);
});

test('what open uploads will need is taken; no more than some are open', async () => {
  const cy = await t.user('cy');
  const one = await begin(cy, 'one', MAX_UPLOAD_BYTES);
  const two = await begin(cy, 'two', MAX_BUCKET_BYTES - MAX_UPLOAD_BYTES);
  expect(await usage(cy)).toEqual({ reserved_files: 2, reserved_bytes: MAX_BUCKET_BYTES });
  await expect(begin(cy, 'three', 1)).rejects.toMatchObject({ code: 'quota_exceeded', message: expect.stringContaining('unfinished uploads') });
  await expect(begin(cy, 'four', MAX_UPLOAD_BYTES + 1)).rejects.toMatchObject({ code: 'content_too_large' });
  await Promise.all([cancelUpload(cy, one), cancelUpload(cy, two)]);
  expect(await usage(cy)).toEqual({ reserved_files: 0, reserved_bytes: 0 });
  for (let n = 0; n < MAX_OPEN_UPLOADS; n += 1) await begin(cy, `many/${n}`, 1);
  await expect(begin(cy, 'many/more', 1)).rejects.toMatchObject({ code: 'uploads_open' });
  const [first] = (await listUploads(cy)).items;
  await append(cy, first?.upload_id ?? '', 0, 'x');
  expect(await usage(cy)).toEqual({ reserved_files: MAX_OPEN_UPLOADS - 1, reserved_bytes: MAX_OPEN_UPLOADS - 1 });
  await begin(cy, 'many/more', 1);
});

test('a day later it is removed, and what had arrived a day after that', async () => {
  const { upload_id } = await begin(ada, 'big/left.txt', 30);
  await append(ada, upload_id, 0, 'nobody else sends this');
  const part = (await getUpload(ada, { upload_id })).parts[0]?.sha256 ?? '';
  const later = { ...t.ctx, clock: () => Date.now() + 25 * 3_600_000 };
  expect(await sweepBlobs(later)).toBeGreaterThanOrEqual(0);
  expect(await t.ctx.db('blobs').where({ sha256: part })).toHaveLength(1);
  await sweepUploads(later);
  await expect(getUpload(ada, { upload_id })).rejects.toMatchObject({ code: 'upload_not_found' });
  await sweepBlobs(later);
  expect(await t.ctx.db('blobs').where({ sha256: part })).toHaveLength(0);
  expect(await usage(ada)).toEqual({ reserved_files: 0, reserved_bytes: 0 });
});

test.each(['', 'path', `path ${in64('../x')}`, 'path ###', `name ${in64('a')}`, `path ${Buffer.from([0xff]).toString('base64')}`])(
  'metadata %j is refused',
  async (metadata) => {
    await expect(beginUpload(ada, { size_bytes: 1, metadata, digest: undefined, conditions: {} })).rejects.toMatchObject({ code: 'invalid_input' });
  },
);

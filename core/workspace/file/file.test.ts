import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { bucketOf } from '../grant/bucket.ts';
import { MAX_BUCKET_FILES } from '#contract/wire/limits.ts';
import { MAX_BUCKET_BYTES } from './bucket-usage.ts';
import type { Conditions } from './conditions.ts';
import { moveFile } from './move.ts';
import { getFile, listFiles } from './read.ts';
import { removeFile } from './remove.ts';
import { type FilePart, uploadFile } from './upload.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
});
afterAll(() => t.close());

async function* form(path: string, content: string | Buffer, media = 'application/octet-stream'): AsyncGenerator<FilePart> {
  yield { kind: 'field', name: 'path', value: path };
  yield { kind: 'file', name: 'file', filename: 'x', media, stream: Readable.from([Buffer.from(content)]) };
}
const put = (who: TestUser, path: string, content: string | Buffer, conditions: Conditions = {}) => uploadFile(who, form(path, content), conditions);
const read = async (who: TestUser, path: string) => text(await (await getFile(who, { path })).open());
const usage = async (who: TestUser) =>
  t.ctx
    .db('buckets')
    .where({ bucket: bucketOf(who.actor.user_id) })
    .first('file_count', 'size_bytes');

test('a file is what was stored last, and belongs only to its user', async () => {
  expect(await put(ada, 'notes/a.md', 'one')).toMatchObject({ path: 'notes/a.md', file_type: 'text', mime_type: 'text/markdown', size_bytes: 3 });
  await put(ada, 'notes/a.md', 'other');
  expect(await read(ada, 'notes/a.md')).toBe('other');
  await expect(read(ben, 'notes/a.md')).rejects.toMatchObject({ code: 'file_not_found' });
  await expect(removeFile(ben, { path: 'notes/a.md' }, {})).rejects.toMatchObject({ code: 'file_not_found' });
  await expect(moveFile(ben, { from: 'notes/a.md', to: 'b', overwrite: false })).rejects.toMatchObject({ code: 'file_not_found' });
  const written = await t.ctx.db('audit_log').where({ action: 'file.write', target_id: `${bucketOf(ada.actor.user_id)}/notes/a.md` });
  expect(written).toHaveLength(2);
});

test.each(['', '/etc/passwd', '../x', 'a/../../x', 'a//b', 'a/', './a', 'a\\b', 'a\0b', 'a\nb', 'a/\u202Egpj.exe', 'a'.repeat(1_025), '*'])(
  'the path %j is refused',
  async (path) => {
    await expect(put(ada, path, 'x')).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: ['body', 'path'] }] });
  },
);

test('two spellings of one name in Unicode are one file', async () => {
  await put(ada, 'caf\u0065\u0301.txt', 'decomposed');
  expect(await put(ada, 'caf\u00e9.txt', 'composed')).toMatchObject({ path: 'caf\u00e9.txt' });
  expect(await read(ada, 'caf\u00e9.txt')).toBe('composed');
});

test('a form without a file, with two, or with a file for a field is refused', async () => {
  async function* of(...parts: FilePart[]): AsyncGenerator<FilePart> {
    yield* parts;
  }
  const file = (name = 'file'): FilePart => ({ kind: 'file', name, filename: 'n.txt', media: 'text/plain', stream: Readable.from([Buffer.from('x')]) });
  await expect(uploadFile(ada, of({ kind: 'field', name: 'path', value: 'a' }), {})).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(uploadFile(ada, of(file(), file()), {})).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(uploadFile(ada, of(file('path')), {})).rejects.toMatchObject({ code: 'invalid_input' });
  // The name of the file stands in for a path, whatever order the parts have.
  expect(await uploadFile(ada, of(file()), {})).toMatchObject({ path: 'n.txt' });
  expect(await uploadFile(ada, of(file(), { kind: 'field', name: 'path', value: 'after.txt' }), {})).toMatchObject({ path: 'after.txt' });
});

test('a hundred writers of one path: one file, one of their contents, counted once', async () => {
  const cyd = await t.user('cyd');
  const contents = Array.from({ length: 100 }, (_, n) => `content ${String(n).padStart(3, '0')}`);
  await Promise.all(contents.map((content) => put(cyd, 'same', content)));
  expect(contents).toContain(await read(cyd, 'same'));
  expect(await usage(cyd)).toEqual({ file_count: 1, size_bytes: 11 });
});

test('of many who store a file only when there is none, one does', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => put(ada, 'once', `by ${n}`, { 'if-none-match': '*' })));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'file_exists' });
});

test('a change made to what somebody else has changed is refused', async () => {
  const { etag } = await put(ada, 'draft', 'first');
  await put(ada, 'draft', 'second', { 'if-match': etag });
  await expect(put(ada, 'draft', 'third', { 'if-match': etag })).rejects.toMatchObject({ code: 'changed_meanwhile' });
  await expect(put(ada, 'draft', 'third', { 'if-match': `W/${etag}` })).rejects.toMatchObject({ code: 'changed_meanwhile' });
  await expect(removeFile(ada, { path: 'draft' }, { 'if-match': etag })).rejects.toMatchObject({ code: 'changed_meanwhile' });
  await expect(put(ada, 'no-such', 'x', { 'if-match': '*' })).rejects.toMatchObject({ code: 'changed_meanwhile' });
  await removeFile(ada, { path: 'draft' }, { 'if-match': '*' });
  await expect(removeFile(ada, { path: 'draft' }, {})).rejects.toMatchObject({ code: 'file_not_found' });
});

describe('moving', () => {
  test('takes the new extension at its word, refuses a taken path, and replaces it when told to', async () => {
    await put(ada, 'm/a.bin', '{}');
    await put(ada, 'm/b.json', '[]');
    await expect(moveFile(ada, { from: 'm/a.bin', to: 'm/b.json', overwrite: false })).rejects.toMatchObject({ code: 'path_taken' });
    expect(await moveFile(ada, { from: 'm/a.bin', to: 'm/b.json', overwrite: true })).toMatchObject({ mime_type: 'application/json', file_type: 'data' });
    expect(await read(ada, 'm/b.json')).toBe('{}');
    await expect(read(ada, 'm/a.bin')).rejects.toMatchObject({ code: 'file_not_found' });
    expect(await moveFile(ada, { from: 'm/b.json', to: 'm/b.json', overwrite: false })).toMatchObject({ path: 'm/b.json' });
  });

  test('asks both etags', async () => {
    const [from, to] = [await put(ada, 'e/from', 'a'), await put(ada, 'e/to', 'b')];
    const move = { from: 'e/from', to: 'e/to', overwrite: true };
    await expect(moveFile(ada, { ...move, if_match: to.etag })).rejects.toMatchObject({ code: 'changed_meanwhile' });
    await expect(moveFile(ada, { ...move, to_if_match: from.etag })).rejects.toMatchObject({ code: 'changed_meanwhile' });
    expect(await moveFile(ada, { ...move, if_match: from.etag, to_if_match: to.etag })).toMatchObject({ sha256: from.sha256 });
  });

  test('many at once: of those that move one file away one wins; in a ring nothing is lost', async () => {
    const dan = await t.user('dan');
    await put(dan, 'one', 'the one');
    const moved = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => moveFile(dan, { from: 'one', to: `to-${n}`, overwrite: false })));
    expect(moved.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await listFiles(dan, { limit: 10 })).items).toHaveLength(1);
    await put(dan, 'x', 'x');
    await put(dan, 'y', 'y');
    await Promise.allSettled(
      [...Array(10).keys()].flatMap(() => [moveFile(dan, { from: 'x', to: 'y', overwrite: true }), moveFile(dan, { from: 'y', to: 'x', overwrite: true })]),
    );
    const { items } = await listFiles(dan, { limit: 10 });
    expect(items.filter(({ path }) => path === 'x' || path === 'y')).toHaveLength(1);
    expect(await usage(dan)).toEqual({ file_count: items.length, size_bytes: items.reduce((sum, { size_bytes }) => sum + size_bytes, 0) });
  });
});

test('an account that is full takes no more, but lets its files become smaller', async () => {
  const eve = await t.user('eve');
  await put(eve, 'a', '12345');
  const bucket = bucketOf(eve.actor.user_id);
  await t.ctx
    .db('buckets')
    .where({ bucket })
    .update({ size_bytes: MAX_BUCKET_BYTES - 1 });
  await expect(put(eve, 'b', '12')).rejects.toMatchObject({ code: 'quota_exceeded' });
  await put(eve, 'a', '1');
  await t.ctx.db('buckets').where({ bucket }).update({ file_count: MAX_BUCKET_FILES });
  await expect(put(eve, 'b', '1')).rejects.toMatchObject({ code: 'quota_exceeded' });
  await put(eve, 'a', '2');
});

test('lists go page by page in the order of bytes, by beginning and by type', async () => {
  const fay = await t.user('fay');
  const paths = ['B.txt', 'a.txt', 'a/1.png', 'a/2.txt', 'a0.txt', 'ä.txt', '100%_x.txt'];
  for (const path of paths) await put(fay, path, path);
  const seen: string[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 10; pages += 1) {
    const page = await listFiles(fay, { limit: 2, cursor });
    seen.push(...page.items.map(({ path }) => path));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(paths.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  const listed = async (i: Partial<Parameters<typeof listFiles>[1]>) => (await listFiles(fay, { limit: 50, ...i })).items.map(({ path }) => path);
  expect(await listed({ prefix: 'a/' })).toEqual(['a/1.png', 'a/2.txt']);
  expect(await listed({ prefix: '100%_' })).toEqual(['100%_x.txt']);
  expect(await listed({ type: 'image' })).toEqual(['a/1.png']);
  await expect(listFiles(fay, { limit: 1, cursor: 'bm9uc2Vuc2U' })).rejects.toMatchObject({ code: 'bad_cursor' });
});

test('a list reads the key it is sorted by, also by beginning', async () => {
  const rows = await t.ctx.db.transaction(async (tx) => {
    // Of a handful of rows a scan may be cheaper: what matters is that there is another way.
    await tx.raw('set local enable_seqscan = off; set local enable_bitmapscan = off');
    const explained = await tx.raw<{ rows: Record<string, string>[] }>(
      `explain select path from files where bucket = 'usr:x' and path > 'b' and starts_with(path, 'c/') order by path limit 101`,
    );
    return explained.rows;
  });
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Index.*Scan.* using files_pkey/);
  expect(plan).toMatch(/path >= 'c\/'/);
});

import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { bucketOf } from '../grant/bucket.ts';
import { moveFolder } from './move-folder.ts';
import { getFile, listFiles } from './read.ts';
import { type FilePart, uploadFile } from './upload.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
});
afterAll(() => t.close());

async function* form(path: string, content: string): AsyncGenerator<FilePart> {
  yield { kind: 'field', name: 'path', value: path };
  yield { kind: 'file', name: 'file', filename: 'x', media: '', stream: Readable.from([Buffer.from(content)]) };
}
const put = async (who: TestUser, ...all: string[]) => {
  for (const path of all) await uploadFile(who, form(path, path), {});
};
const paths = async (who: TestUser, prefix: string) => (await listFiles(who, { limit: 1000, prefix })).items.map(({ path }) => path);
const content = async (who: TestUser, path: string) => text(await (await getFile(who, { path })).open());
const move = (who: TestUser, from: string, to: string, overwrite = false) => moveFolder(who, { from, to, overwrite });

test('all files of a folder get their new paths, and no other', async () => {
  await put(ada, 'a/1', 'a/b/2', 'ab/3', 'a%/4');
  expect(await move(ada, 'a/', 'z/y/')).toEqual({ from: 'a/', to: 'z/y/', files: 2 });
  expect(await paths(ada, '')).toEqual(['a%/4', 'ab/3', 'z/y/1', 'z/y/b/2']);
  expect(await content(ada, 'z/y/b/2')).toBe('a/b/2');
  expect(await t.ctx.db('file_words').where({ bucket: bucketOf(ada.actor.user_id) }).orderBy('path').pluck('path')).toEqual(await paths(ada, '')); // prettier-ignore
  expect(await t.ctx.db('audit_log').where({ action: 'file.move' }).first('target_id', 'details')).toMatchObject({ details: { from: 'a/', files: 2 } });
});

test('readers see the folder at one place at every moment', async () => {
  await put(ada, ...Array.from({ length: 30 }, (_, n) => `atomic/one/${n}`));
  let moving = true;
  const seen = new Set<string>();
  const reader = (async () => {
    while (moving) {
      const found = await paths(ada, 'atomic/');
      seen.add(`${found.length} in ${[...new Set(found.map((path) => path.split('/').slice(0, -1).join('/')))].join(' and ')}`);
    }
  })();
  for (let n = 0; n < 10; n += 1) await (n % 2 === 0 ? move(ada, 'atomic/one/', 'atomic/two/') : move(ada, 'atomic/two/', 'atomic/one/'));
  moving = false;
  await reader;
  expect([...seen].filter((what) => !['30 in atomic/one', '30 in atomic/two'].includes(what))).toEqual([]);
});

test('what is there stays unless one says so, and then all or none', async () => {
  await put(ben, 'from/1', 'from/2', 'to/2', 'to/3');
  await expect(move(ben, 'from/', 'to/')).rejects.toMatchObject({ code: 'path_taken', message: expect.stringContaining('to/2') });
  expect(await paths(ben, '')).toEqual(['from/1', 'from/2', 'to/2', 'to/3']);
  await move(ben, 'from/', 'to/', true);
  expect(await paths(ben, '')).toEqual(['to/1', 'to/2', 'to/3']);
  expect(await content(ben, 'to/2')).toBe('from/2');
  const kept = await t.ctx.db('buckets').where({ bucket: bucketOf(ben.actor.user_id) }).first('file_count', 'size_bytes'); // prettier-ignore
  expect(kept).toEqual({ file_count: 3, size_bytes: 'from/1from/2to/3'.length });
});

test('to a folder above: files give their places to each other', async () => {
  const cy = await t.user('cy');
  await put(cy, 'a/a/a/1', 'a/a/1', 'a/a/2');
  await move(cy, 'a/a/', 'a/');
  expect(await paths(cy, '')).toEqual(['a/1', 'a/2', 'a/a/1']);
  expect(await content(cy, 'a/a/1')).toBe('a/a/a/1');
});

test('refused: into itself, of another account, to where a path gets too long', async () => {
  await put(ada, 'own/x', `own/${'n'.repeat(200)}`);
  await expect(move(ada, 'own/', 'own/deeper/')).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(move(ben, 'own/', 'mine/')).rejects.toMatchObject({ code: 'folder_not_found' });
  await expect(move(ada, 'own/', `${'d'.repeat(200)}/`.repeat(5))).rejects.toMatchObject({ code: 'invalid_input' });
  expect(await move(ada, 'own/', 'own/')).toMatchObject({ files: 2 });
});

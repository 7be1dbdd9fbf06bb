import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ProjectFile } from './pack.ts';
import { type Merge, mergeFiles } from './three-way.ts';

type Project = Record<string, string | Uint8Array>;
const files = (project: Project): ProjectFile[] => Object.entries(project).map(([path, content]) => ({ path, content }));
const merge = (base: Project, ours: Project, theirs: Project): Promise<Merge> => mergeFiles(files(base), files(ours), files(theirs));
const plain = ({ files: merged }: Merge): Record<string, string> =>
  Object.fromEntries(merged.map(({ path, content }) => [path, Buffer.from(content).toString()]));

const lines = (...changed: [number, string][]): string =>
  Array.from({ length: 9 }, (_, at) => `${changed.find(([line]) => line === at)?.[1] ?? `line ${at}`}\n`).join('');

test('changes of different lines are merged, files of one side come and go', async () => {
  const merged = await merge(
    { 'a.ts': lines(), 'gone-theirs.ts': 'x\n', 'gone-ours.ts': 'y\n', 'same.ts': 's\n', 'gone-both.ts': 'z\n' },
    { 'a.ts': lines([1, 'ours']), 'gone-theirs.ts': 'x\n', 'same.ts': 's\n', 'added-ours.ts': 'o\n', 'both.ts': 'b\n' },
    { 'a.ts': lines([7, 'theirs']), 'gone-ours.ts': 'y\n', 'same.ts': 's\n', 'added-theirs.ts': 't\n', 'both.ts': 'b\n' },
  );
  expect(merged.conflicts).toEqual([]);
  expect(plain(merged)).toEqual({
    'a.ts': lines([1, 'ours'], [7, 'theirs']),
    'added-ours.ts': 'o\n',
    'added-theirs.ts': 't\n',
    'both.ts': 'b\n',
    'same.ts': 's\n',
  });
});

test('the same lines changed differently are a conflict with marks; the other files are merged', async () => {
  const merged = await mergeFiles(
    files({ 'a.ts': lines(), 'b.ts': 'b\n' }),
    files({ 'a.ts': lines([4, 'ours']), 'b.ts': 'b\n' }),
    files({ 'a.ts': lines([4, 'theirs']), 'b.ts': 'B\n' }),
    { labels: { ours: 'yours', theirs: 'template 2' } },
  );
  expect(merged.conflicts).toEqual([{ path: 'a.ts', kind: 'content' }]);
  expect(plain(merged)).toEqual({
    'a.ts': lines([4, '<<<<<<< yours\nours\n=======\ntheirs\n>>>>>>> template 2']),
    'b.ts': 'B\n',
  });
});

test('what one side deleted and the other changed stays as it is with us, and is a conflict', async () => {
  const merged = await merge({ 'a.ts': '1\n', 'b.ts': '1\n' }, { 'a.ts': '2\n' }, { 'b.ts': '2\n' });
  expect(merged.conflicts).toEqual([
    { path: 'a.ts', kind: 'deleted_by_them' },
    { path: 'b.ts', kind: 'deleted_by_us' },
  ]);
  expect(plain(merged)).toEqual({ 'a.ts': '2\n' });
});

test('two new files of one name are a conflict; a rename on one side is a deletion and an addition', async () => {
  const merged = await merge({ 'old.ts': 'x\n' }, { 'old.ts': 'x\n', 'new.ts': 'ours\n' }, { 'renamed.ts': 'x\n', 'new.ts': 'theirs\n' });
  expect(merged.conflicts).toEqual([{ path: 'new.ts', kind: 'both_added' }]);
  expect(plain(merged)).toEqual({ 'new.ts': '<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n', 'renamed.ts': 'x\n' });
});

test('binary files: a change of one side is taken byte for byte, changes of both are a conflict', async () => {
  const png = (last: number): Uint8Array => new Uint8Array([137, 80, 0, 255, last]);
  const one = await merge({ 'a.png': png(1) }, { 'a.png': png(1) }, { 'a.png': png(2) });
  expect(one).toEqual({ files: [{ path: 'a.png', content: png(2) }], conflicts: [] });
  const both = await merge({ 'a.png': png(1) }, { 'a.png': png(3) }, { 'a.png': png(2) });
  expect(both).toEqual({ files: [{ path: 'a.png', content: png(3) }], conflicts: [{ path: 'a.png', kind: 'binary' }] });
});

test.each([
  { base: false, ours: true, theirs: false, merged: true },
  { base: false, ours: false, theirs: true, merged: true },
  { base: true, ours: false, theirs: true, merged: false },
  { base: true, ours: true, theirs: true, merged: true },
])('the executable bit follows the side that changed it, with the text of both: %o', async ({ base, ours, theirs, merged }) => {
  const file = (content: string, executable: boolean): ProjectFile[] => [{ path: 'run.sh', content, executable }];
  const { files: result, conflicts } = await mergeFiles(file(lines(), base), file(lines([1, 'ours']), ours), file(lines([7, 'theirs']), theirs));
  expect(conflicts).toEqual([]);
  expect(result).toMatchObject([{ executable: merged }]);
  expect(plain({ files: result, conflicts })).toEqual({ 'run.sh': lines([1, 'ours'], [7, 'theirs']) });
});

test('only the bit changed on one side, only the text on the other', async () => {
  const base = [{ path: 'run.sh', content: 'a\n' }];
  const merged = await mergeFiles(base, [{ path: 'run.sh', content: 'b\n' }], [{ path: 'run.sh', content: 'a\n', executable: true }]);
  expect(merged).toEqual({ files: [{ path: 'run.sh', content: 'b\n', executable: true }], conflicts: [] });
});

test('a file of one side that is a folder of the other is a conflict; what we have stays', async () => {
  const merged = await merge({}, { lib: 'file\n' }, { 'lib/a.ts': 'a\n', 'other.ts': 'o\n' });
  expect(merged.conflicts).toEqual([
    { path: 'lib', kind: 'path' },
    { path: 'lib/a.ts', kind: 'path' },
  ]);
  expect(plain(merged)).toEqual({ lib: 'file\n', 'other.ts': 'o\n' });
});

test('a file that they made a folder, and we left alone, is no conflict', async () => {
  const merged = await merge({ lib: 'file\n' }, { lib: 'file\n' }, { 'lib/a.ts': 'a\n' });
  expect(merged).toEqual({ files: [{ path: 'lib/a.ts', content: 'a\n' }], conflicts: [] });
});

test('texts without a last line end, with other line ends and other encodings merge by their bytes', async () => {
  const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');
  const merged = await merge(
    { 'a.txt': 'a\r\nb\r\nc\r\nd\r\ne', 'l.txt': latin1('ä\nb\nc\nd\né') },
    { 'a.txt': 'A\r\nb\r\nc\r\nd\r\ne', 'l.txt': latin1('Ä\nb\nc\nd\né') },
    { 'a.txt': 'a\r\nb\r\nc\r\nd\r\nE', 'l.txt': latin1('ä\nb\nc\nd\nÉ') },
  );
  expect(merged.conflicts).toEqual([]);
  expect(Buffer.from(merged.files[0]?.content ?? '').toString()).toBe('A\r\nb\r\nc\r\nd\r\nE');
  expect(Buffer.from(merged.files[1]?.content ?? '').toString('latin1')).toBe('Ä\nb\nc\nd\nÉ');
});

test('many conflicts in one file, and marks that a text had before, are not taken for errors or answers', async () => {
  const many = (word: string): string => Array.from({ length: 600 }, (_, at) => (at % 4 === 0 ? `${word} ${at}\n` : `keep ${at}\n`)).join('');
  expect((await merge({ 'a.txt': many('base') }, { 'a.txt': many('ours') }, { 'a.txt': many('theirs') })).conflicts).toEqual([
    { path: 'a.txt', kind: 'content' },
  ]);
  const marked = (tail: string): string => `<<<<<<< ours\n=======\n>>>>>>> theirs\nb\nc\nd\n${tail}\n`;
  expect((await merge({ 'm.txt': marked('x') }, { 'm.txt': `new\n${marked('x')}` }, { 'm.txt': marked('y') })).conflicts).toEqual([]);
});

test('nothing is left in the folder, and a repository around it does not configure the merge', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'svc-merge-'));
  onTestFinished(() => rm(scratch, { recursive: true, force: true }));
  execFileSync('git', ['init', '--quiet', scratch]);
  execFileSync('git', ['-C', scratch, 'config', 'merge.conflictStyle', 'diff3']);
  const merged = await mergeFiles(files({ a: '1\n' }), files({ a: '2\n' }), files({ a: '3\n' }), { scratch });
  expect(plain(merged)).toEqual({ a: '<<<<<<< ours\n2\n=======\n3\n>>>>>>> theirs\n' });
  expect(await readdir(scratch)).toEqual(['.git']);
});

test('a side with too many files, too many bytes or one path twice is refused', async () => {
  const limits = { entries: 2, unpackedBytes: 10 };
  const refused = async (side: ProjectFile[]): Promise<string> =>
    mergeFiles([], side, [], { limits }).then(
      () => 'merged',
      (error: unknown) => String(Object(error).code),
    );
  expect(await refused(files({ a: '1', b: '2', c: '3' }))).toBe('source_too_many_files');
  expect(await refused(files({ a: '12345678901' }))).toBe('source_too_large_unpacked');
  expect(await refused([...files({ a: '1' }), ...files({ a: '2' })])).toBe('source_duplicate_path');
  expect(await refused(files({ a: '1' }))).toBe('merged');
});

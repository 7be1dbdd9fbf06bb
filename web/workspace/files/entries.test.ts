import { expect, test } from 'vitest';
import { entriesOf, foldersAbove, nameAt, pathIn, type StoredFile, wrongPath } from './entries.ts';

const at = '2026-11-01T00:00:00.000Z';
const file = (path: string): StoredFile => ({
  path,
  file_type: 'text',
  mime_type: 'text/plain',
  size_bytes: 1,
  sha256: 'a',
  etag: '"a"',
  created_at: at,
  updated_at: at,
});
const shown = (paths: string[], folder: string): string[] =>
  entriesOf(paths.map(file), folder).map((entry) => (entry.is === 'folder' ? `${entry.path} ${entry.files}` : entry.path));

test('folders come first, each once, with how many files are below', () => {
  const paths = ['a.txt', 'notes/2.md', 'notes/10.md', 'notes/old/x', 'pictures/y'];
  expect(shown(paths, '')).toEqual(['notes/ 3', 'pictures/ 1', 'a.txt']);
  expect(shown(paths, 'notes/')).toEqual(['notes/old/ 1', 'notes/2.md', 'notes/10.md']);
  expect(shown(paths, 'none/')).toEqual([]);
});

test('folders above', () => {
  expect(foldersAbove('')).toEqual([]);
  expect(foldersAbove('a/b/')).toEqual([
    { name: 'a', path: 'a/' },
    { name: 'b', path: 'a/b/' },
  ]);
});

test('a path is kept in NFC; what is none is named', () => {
  expect(pathIn('a/', 'u\u0308.txt')).toBe('a/ü.txt');
  expect(wrongPath('a/u\u0308.txt')).toBeUndefined();
  for (const path of ['', '/a', 'a//b', '../a', 'a*']) expect(wrongPath(path)).toMatch(/no path/);
});

test('the name at the end of a path', () => {
  expect(['a', 'a/b.txt', 'a/b/', 'a/'].map(nameAt)).toEqual(['a', 'b.txt', 'b/', 'a/']);
});

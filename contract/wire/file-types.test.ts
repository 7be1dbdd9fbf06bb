import { expect, test } from 'vitest';
import { FileType } from './card.ts';
import { typeByName } from './file-types.ts';

test.each([
  ['a/b.PY', 'text/x-python', 'code'],
  ['README', 'text/plain', 'text'],
  ['x/Dockerfile', 'text/x-code', 'code'],
  ['.env', 'text/x-ini', 'data'],
  ['notes.v2.md', 'text/markdown', 'text'],
  ['sheet.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'data'],
  ['page.html', 'text/html', 'code'],
  ['drawing.svg', 'image/svg+xml', 'image'],
])('%s is %s', (path, mime, kind) => {
  expect(typeByName(path)).toEqual({ mime, kind });
  expect(FileType.parse(kind)).toBe(kind);
});

test.each(['', 'noname', 'a.', 'a.constructor', 'md/noname', 'a.md/', '__proto__'])('"%s" says nothing', (path) => expect(typeByName(path)).toBeUndefined());

import { expect, test } from 'vitest';
import { describe } from './type.ts';

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');

test.each([
  ['a/b.PY', undefined, 'print()', 'text/x-python', 'code', true],
  ['README', undefined, '# hi', 'text/plain', 'text', true],
  ['Dockerfile', undefined, 'FROM x', 'text/x-code', 'code', true],
  ['.env', undefined, 'A=1', 'text/x-ini', 'data', true],
  ['data.json', 'application/octet-stream', '{}', 'application/json', 'data', true],
  ['noname', undefined, 'plain words', 'text/plain', 'text', true],
  ['noname', 'text/html; charset=utf-8', '<p>', 'text/html', 'text', true],
  ['noname', 'not a type', 'x', 'text/plain', 'text', true],
  ['x', 'text/html\r\nset-cookie: a=b', 'x', 'text/plain', 'text', true],
  ['a.constructor', undefined, 'x', 'text/plain', 'text', true],
] as const)('%s sent as %s', (path, declared, text, mime_type, file_type, isText) => {
  const found = describe(path, declared, Buffer.from(text));
  expect(found).toMatchObject({ mime_type, file_type });
  expect(found.content).toBe(isText ? text : null);
});

test('contents that are not text have none to search, whatever their name says', () => {
  expect(describe('x', undefined, png)).toEqual({ mime_type: 'image/png', file_type: 'image', content: null });
  expect(describe('x.txt', undefined, Buffer.from('a\0b')).content).toBeNull();
  expect(describe('x.txt', undefined, Buffer.from([0xc3, 0x28])).content).toBeNull();
  expect(describe('x', undefined, Buffer.from([0xff, 0xfe, 1, 2]))).toMatchObject({ mime_type: 'application/octet-stream', file_type: 'other' });
});

test('a head that ends within a character is still text', () => {
  expect(describe('x', undefined, Buffer.from('grün').subarray(0, 3)).content).toBe('gr');
});

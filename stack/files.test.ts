import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readText, writeOnce, writeWhole } from './files.ts';
import { readFrom, rotate, tail } from './logs.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-files-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('writeOnce keeps the first content, writeWhole the last; neither leaves a draft', () => {
  const path = join(dir, 'key');
  expect([writeOnce(path, 'one'), writeOnce(path, 'two'), readText(path)]).toEqual(['one', 'one', 'one']);
  writeWhole(path, 'three');
  expect(readText(path)).toBe('three');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['key']);
  expect(readText(join(dir, 'absent'))).toBeUndefined();
});

test('a log is rotated when it is too large, keeps three, and a follower starts over', () => {
  const path = join(dir, 'a.log');
  for (const text of ['first', 'second', 'third', 'fourth', 'fifth']) {
    writeFileSync(path, `${text}\n`);
    rotate(path, 4);
  }
  expect(readdirSync(dir).sort()).toEqual(['a.log', 'a.log.1', 'a.log.2', 'a.log.3']);
  expect([1, 2, 3].map((n) => readText(`${path}.${n}`))).toEqual(['fifth\n', 'fourth\n', 'third\n']);
  writeFileSync(path, 'now\n');
  expect(readFrom(path, 1_000).bytes.toString()).toBe('now\n');
  rotate(path, 100);
  expect(readText(path)).toBe('now\n');
});

test('tail gives the last lines, whole', () => {
  const path = join(dir, 'b.log');
  writeFileSync(path, 'one\ntwo\nthree');
  expect(tail(path, 2)).toEqual({ lines: ['two', 'three'], offset: 13 });
  expect(tail(path, 0).lines).toEqual([]);
  expect(tail(join(dir, 'absent'), 5)).toEqual({ lines: [], offset: 0 });
});

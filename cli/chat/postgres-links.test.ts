import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkLibraries } from './postgres-links.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-postgres-links-'));
  mkdirSync(join(folder, 'native', 'lib'), { recursive: true });
  writeFileSync(join(folder, 'native', 'lib', 'libpq.so.5.18'), 'library');
});
afterEach(() => rmSync(folder, { recursive: true }));

const list = (...links: { source: string; target: string }[]) => writeFileSync(join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links));

test('libraries get the names that the server looks for, once, and wherever the package is', () => {
  list({ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' });
  linkLibraries(folder);
  linkLibraries(folder);
  expect(readlinkSync(join(folder, 'native', 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
  expect(readFileSync(join(folder, 'native', 'lib', 'libpq.so.5'), 'utf8')).toBe('library');
});

test('a package without a list is left as it is; one that names files outside itself is refused', () => {
  expect(() => linkLibraries(folder)).not.toThrow();
  list({ source: 'native/lib/libpq.so.5.18', target: '../libpq.so.5' });
  expect(() => linkLibraries(folder)).toThrow('names a file outside the package');
});

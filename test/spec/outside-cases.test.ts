// Every public case is proved by tests that there are, or says what is open; every test of the folder belongs
// to a case.
// reads: api/ cli/ contract/ core/ drivers/ sdk/ test/
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CASES } from '../outside-cases/cases.ts';

const root = join(import.meta.dirname, '..', '..');
const text = (file: string): string => readFileSync(join(root, file), 'utf8');

test('each case stands once, with where it was found', () => {
  const numbers = Array.from({ length: 30 }, (_, at) => `C${at + 1}`).filter((id) => id !== 'C24');
  expect(CASES.map(({ id }) => id)).toEqual(numbers.flatMap((id) => (id === 'C23' ? [id, 'C23b'] : [id])));
  for (const { id, from } of CASES) {
    expect(from.length, id).toBeGreaterThan(0);
    expect(new Set(from).size, id).toBe(from.length);
    expect(
      from.filter((one) => !/^[\w.-]+\/[\w.-]+#\d+$/.test(one)),
      id,
    ).toEqual([]);
  }
});

test('each is proved, or names what is open', () => {
  expect(CASES.filter(({ proofs, open }) => proofs.length === 0 && !open).map(({ id }) => id)).toEqual([]);
});

test.each(CASES.map((one) => [one.id, one] as const))('%s: the tests that prove it are there, and are not skipped', (_, { proofs }) => {
  for (const { file, test: title } of proofs) {
    const line = text(file)
      .split('\n')
      .find((one) => one.includes(title));
    expect(line, `${file}: ${title}`).toBeDefined();
    expect(line).not.toMatch(/\.(?:skip|todo)\b/);
  }
});

test('each test of the folder belongs to a case', () => {
  const named = new Set(CASES.flatMap(({ proofs }) => proofs.map(({ file }) => file)));
  expect(globSync('test/outside-cases/*.test.ts', { cwd: root }).filter((file) => !named.has(file))).toEqual([]);
});

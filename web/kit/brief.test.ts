import { expect, test } from 'vitest';
import { brief, cut } from './brief.ts';

test('short values are written whole', () => {
  expect(brief({ name: 'Ada', tags: ['a', 'b'], n: null, on: true })).toBe('{name: "Ada", tags: ["a", "b"], n: null, on: true}');
  expect(brief('a text')).toBe('a text');
  expect(brief(undefined)).toBe('undefined');
});

test('what is long or deep is cut, without being written out first', () => {
  expect(brief('x'.repeat(10_000_000), 10)).toBe(`${'x'.repeat(10)}…`);
  expect(brief({ text: 'y'.repeat(10_000_000) }, 20)).toHaveLength(21);
  expect(brief({ a: { b: { c: { d: { e: 1 } } } } })).toBe('{a: {b: {c: {d: {…}}}}}');
  let deep: object = {};
  for (let n = 0; n < 100_000; n += 1) deep = { deep };
  expect(brief(deep).length).toBeLessThan(201);
  expect(
    brief(
      Array.from({ length: 1_000_000 }, (_, n) => n),
      30,
    ),
  ).toMatch(/^\[0, 1, 2.*…$/);
});

test('a character of two halves is not cut in the middle', () => {
  expect(cut('ab😀', 3)).toBe('ab…');
});

import { expect, it } from 'vitest';
import { unfitText } from './plain-text.ts';

it('finds nothing in what can be stored', () => {
  expect(unfitText({ a: ['x', 1, null, { b: '\u{1f600}\u0001' }], c: true })).toEqual([]);
});

it('says where U+0000 and half characters are, in values and in names', () => {
  const issues = unfitText({ ok: 'x', bad: ['y', { deep: 'a\0b' }], half: '\ud83d', 'na\0me': 1 });
  expect(issues.map((issue) => issue.path)).toEqual(expect.arrayContaining([['bad', 1, 'deep'], ['half'], []]));
  expect(issues).toHaveLength(3);
  expect(unfitText('\0')).toEqual([{ path: [], message: expect.stringContaining('U+0000') }]);
});

it('refuses bottomless nesting without following it, and tells of the first few only', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  expect(unfitText({ deep })).toEqual([{ path: expect.any(Array), message: expect.stringContaining('200 levels') }]);
  expect(unfitText(Array.from({ length: 5_000 }, () => '\0'))).toHaveLength(10);
});

// A long row of one character where its end is looked for: a pattern that tries again at each of them took
// hours for what comes in one request, and the event loop with it. Found by checking all patterns of the
// source for their growth.
import { expect, test } from 'vitest';
import { safeUrl } from '#api/http/log.ts';
import { isExactNumber } from '#contract/wire/exact-json.ts';
import { withoutEnd, withoutEnds } from '#contract/wire/trim.ts';
import { skillNames } from '#drivers/remote-agent/names.ts';
import { ends } from '../support/ends.ts';

const MANY = 2_000_000;

test('a number of two million digits', () => {
  expect(ends(() => isExactNumber(`1${'0'.repeat(MANY)}1e-${MANY}`))).toBe(false);
  expect(isExactNumber('1.2500000')).toBe(true);
});

test('an address of two million question marks, and what it names is still not logged', () => {
  const url = `/x${'?'.repeat(MANY)}token=secret&a=b`;
  expect(ends(() => safeUrl(url)).endsWith('?token=[redacted]&a=b')).toBe(true);
});

test("a remote skill's name of two million hyphens", () => {
  expect(ends(() => skillNames([`a${'-'.repeat(MANY)}b`]))[0]).toHaveLength(64);
});

test('the ends of a text', () => {
  expect(ends(() => withoutEnd(`${'='.repeat(MANY)}x=`, '='))).toHaveLength(MANY + 1);
  expect([withoutEnds('--_a-b_-', '_-'), withoutEnds('---', '-'), withoutEnd('', '='), withoutEnd('a==', '=')]).toEqual(['a-b', '', '', 'a']);
});

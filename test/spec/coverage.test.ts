import { expect, test } from 'vitest';
import { faultsOf } from './coverage.ts';

const coverage = (more: { open?: string[]; cited?: string[]; verified?: string[]; whole?: boolean }) =>
  faultsOf({
    sentences: new Set(['a', 'b']),
    open: new Set(more.open ?? []),
    cited: new Set(more.cited ?? more.verified ?? []),
    verified: new Set(more.verified ?? []),
    whole: more.whole ?? true,
  });

test('every sentence is verified by a test that passed, or open', () => {
  expect(coverage({ verified: ['a', 'b'] })).toEqual([]);
  expect(coverage({ verified: ['a'], open: ['b'] })).toEqual([]);
  expect(coverage({ verified: ['a'] })).toEqual(['b was verified by no test that ran and passed']);
  expect(coverage({ verified: ['a'], cited: ['a', 'b'] })).toHaveLength(1);
});

test('part of the tests proves nothing of what it left out', () => {
  expect(coverage({ verified: ['a'], whole: false })).toEqual([]);
});

test('the list of open sentences only shrinks, and no id is misspelt', () => {
  expect(coverage({ verified: ['a', 'b'], open: ['b'], whole: false })).toEqual(['b is verified now: take it off test/spec/open.ts']);
  expect(coverage({ verified: ['a', 'b', 'c'] })).toEqual(['c is no sentence of the specification: see test/spec/sentences.ts']);
  expect(coverage({ verified: ['a'], open: ['b', 'd'] })).toEqual(['d is no sentence of the specification: see test/spec/sentences.ts']);
});

import { expect, test } from 'vitest';
import { checkWords, examplesIn, percent } from './words.ts';

test('shares are never rounded up to all', () => {
  expect(percent(0, 0)).toBe('–');
  expect(percent(9_999, 10_000)).toBe('99.9 %');
  expect(percent(1, 3)).toBe('33.3 %');
  expect(percent(3, 3)).toBe('100 %');
});

test('every kind of rule says what it looks at', () => {
  expect(checkWords({ kind: 'latency', max_ms: 2000 })).toBe('It takes 2,000 ms at most, without waits for people.');
  expect(checkWords({ kind: 'matches', pattern: '@', pointer: '/answer', absent: true })).toBe('/@/u is not found in /answer.');
  expect(checkWords({ kind: 'cost', max_micros: 1_500 })).toBe('Its models cost $0.0015 at most.');
  for (const check of [{ kind: 'schema', schema: {} }, { kind: 'thumb' }, { kind: 'judge', instructions: 'Short.', pass_from: 0.5, per_day: 9 }] as const)
    expect(checkWords(check)).toMatch(/\.$/);
});

test('examples, a line each', () => {
  expect(examplesIn('{"skill":"a"}\n\n{"skill":"b","args":{"x":1},"expected":null}\n')).toEqual({
    items: [
      { skill: 'a', args: {} },
      { skill: 'b', args: { x: 1 }, expected: null },
    ],
    problem: undefined,
  });
  expect(examplesIn('{"skill":"a"}\n{').problem).toBe('Line 2 is not JSON.');
  expect(examplesIn('{"args":{}}').problem).toContain('Line 1 has no "skill"');
  expect(examplesIn('{"skill":"a","args":[]}').problem).toContain('no object');
  expect(examplesIn(' \n').problem).toContain('no example');
});

import { expect, test } from 'vitest';
import { filled, flagIn, numberIn, oneIn, present, textIn, wordsIn } from './search.ts';

test('what fits is read, and anything else is as if it were not there', () => {
  expect([textIn('demo'), textIn(5), textIn(true), textIn(''), textIn({ a: 1 }), textIn(undefined)]).toEqual([
    'demo',
    '5',
    'true',
    undefined,
    undefined,
    undefined,
  ]);
  expect([oneIn(['events'], 'events'), oneIn(['files'], 'events')]).toEqual(['events', undefined]);
  expect([numberIn(5), numberIn('demo'), numberIn(Number.NaN)]).toEqual([5, undefined, undefined]);
  expect([flagIn(true), flagIn('true')]).toEqual([true, undefined]);
  expect([wordsIn(['a', 'a', 7, 'b']), wordsIn('a'), wordsIn(['x'.repeat(81)])]).toEqual([['a', 'b'], undefined, undefined]);
  expect(textIn('x'.repeat(1_000))).toHaveLength(500);
  expect(present({ a: undefined, b: 1 })).toEqual({ b: 1 });
  expect(present({ q: '', b: 0 })).toEqual({ q: '', b: 0 });
  expect(filled({ q: '', a: undefined, b: 0, c: false, d: 'x' })).toEqual({ b: 0, c: false, d: 'x' });
});

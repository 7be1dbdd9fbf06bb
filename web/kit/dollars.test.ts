import { expect, test } from 'vitest';
import { amount, dollars, microsOf } from './dollars.ts';

test.each([
  ['5', 5_000_000],
  [' 2.50 ', 2_500_000],
  ['0.000007', 7],
  ['0', 0],
  ['-1', undefined],
  ['1e3', undefined],
  ['1,5', undefined],
  ['101', undefined],
  ['', undefined],
])('%j is %s', (text, micros) => expect(microsOf(text, 100)).toBe(micros));

test.each([
  [0, '$0.00'],
  [7, '$0.000007'],
  [2_500_000, '$2.50'],
  [1_234_567_890_000, '$1,234,567.89'],
])('%d is shown as %s', (micros, text) => {
  expect(dollars(micros)).toBe(text);
  expect(microsOf(amount(micros), 10_000_000)).toBe(micros);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { number } from './number.ts';

const english = new Intl.NumberFormat('en');

test('a whole number is written as English writes it', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      expect(number(value)).toBe(english.format(value));
    }),
  );
});

test.each([0, -0.0004, 999, 1000, -1000, -999, 1234.5, 1234.5678, 0.1 + 0.2, 12_345_678.25])('%d', (value) => {
  expect(number(value)).toBe(english.format(value).replace(/^-0$/, '0'));
});

test('what is too large to be read is written with an exponent', () => {
  expect(number(1e21)).toBe('1e+21');
  expect(number(-2.5e25)).toBe('-2.5e+25');
});

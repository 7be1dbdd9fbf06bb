import { expect, test } from 'vitest';
import { UsageError } from './errors.ts';
import { dollars, micros } from './dollars.ts';

test('an amount is read digit by digit, to the last micro-dollar', () => {
  const amounts: [string, number][] = [
    ['0', 0],
    ['0.000001', 1],
    ['0.1', 100_000],
    ['1.005', 1_005_000],
    ['4.35', 4_350_000],
    ['8.3', 8_300_000],
    ['20', 20_000_000],
    ['999999.999999', 999_999_999_999],
    ['1000000', 1_000_000_000_000],
  ];
  for (const [text, value] of amounts) expect(micros('--budget', text, 1_000_000), text).toBe(value);
});

test('what is no amount, finer than a micro-dollar or too much is refused, with what to write', () => {
  for (const text of ['', 'much', '-1', '1e3', '1,50', '.5', '5.', ' 5', '$5', '0x10', '٥', 'NaN', 'Infinity', '0.0000001', '1000000.000001', '9'.repeat(30)]) {
    expect(() => micros('--budget', text, 1_000_000), text).toThrow(UsageError);
    expect(() => micros('--budget', text, 1_000_000), text).toThrow('--budget must be dollars from 0 to 1000000');
  }
});

test('an amount is shown whole, and reads as itself', () => {
  expect([0, 7, 100, 2_500_000, 1_234_560, 999_999_999_999].map(dollars)).toEqual(['$0.00', '$0.000007', '$0.0001', '$2.50', '$1.23456', '$999999.999999']);
  for (let amount = 1; amount < 1e12; amount = amount * 3 + 7) expect(micros('--budget', dollars(amount).slice(1), 1_000_000)).toBe(amount);
});

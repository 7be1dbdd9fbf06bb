import { expect, test } from 'vitest';
import { interval } from './interval.ts';

test('an interval holds the mean, is the same for the same seed, and is narrow where the values are alike', () => {
  const { mean, low, high } = interval([10, 20, 30, 40], 1);
  expect([mean, low <= mean, mean <= high]).toEqual([25, true, true]);
  expect(interval([10, 20, 30, 40], 1)).toEqual({ mean, low, high });
  expect(interval([7, 7, 7], 1)).toEqual({ mean: 7, low: 7, high: 7 });
});

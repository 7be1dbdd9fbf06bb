import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LATENCY_BOUNDS_MS, percentileOf } from './latency.ts';

const bucketOf = (ms: number): number => LATENCY_BOUNDS_MS.filter((bound) => bound <= ms).length;

test('bounds grow, from a millisecond to a day', () => {
  expect(LATENCY_BOUNDS_MS.every((bound, at) => at === 0 || bound > (LATENCY_BOUNDS_MS[at - 1] ?? 0))).toBe(true);
  expect([LATENCY_BOUNDS_MS[0], LATENCY_BOUNDS_MS.at(-1)]).toEqual([1, 86_400_000]);
  expect(LATENCY_BOUNDS_MS.length).toBeLessThan(110);
});

test('a percentile is at most a fifth and a millisecond from the duration that it stands for', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 86_400_000 }), { minLength: 1, maxLength: 200 }), fc.constantFrom(50, 90, 95, 99), (durations, percent) => {
      const histogram: Record<number, number> = {};
      for (const ms of durations) histogram[bucketOf(ms)] = (histogram[bucketOf(ms)] ?? 0) + 1;
      const sorted = durations.toSorted((a, b) => a - b);
      const exact = sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0;
      const found = percentileOf(histogram, percent) ?? Number.NaN;
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.2 + 1);
    }),
  );
});

test('of nothing there is none', () => expect(percentileOf({}, 50)).toBeNull());

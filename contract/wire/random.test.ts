import { expect, test } from 'vitest';
import { Random } from './random.ts';

test('xoshiro128** gives the numbers of its reference implementation', () => {
  const random = new Random([1, 2, 3, 4]);
  expect(Array.from({ length: 10 }, () => random.next())).toEqual([
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
  ]);
});

test('seeds and streams give different numbers, the same ones the same', () => {
  const first = (seed: number, stream?: number): number[] =>
    Array.from(
      { length: 4 },
      (
        (random) => () =>
          random.next()
      )(Random.of(seed, stream)),
    );
  expect(first(1)).toEqual(first(1));
  const all = [first(0), first(1), first(2), first(1, 1), first(1, 2), first(2, 1)];
  expect(new Set(all.map(String)).size).toBe(all.length);
});

test('numbers below a bound are all as likely, and reach neither it nor less than 0', () => {
  const random = Random.of(7);
  const seen = Array.from({ length: 7 }, () => 0);
  for (let n = 0; n < 70_000; n += 1) {
    const at = random.below(7);
    seen[at] = (seen[at] ?? Number.NaN) + 1;
  }
  // Four standard deviations.
  for (const count of seen) expect(Math.abs(count - 10_000)).toBeLessThan(4 * Math.sqrt(10_000));
  expect(random.below(1)).toBe(0);
});

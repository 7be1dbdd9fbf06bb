import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decay, HALF_LIFE_DAYS, scoreOfEvidence } from './scorecard.ts';

test('what is known narrows the interval, and the mean lies in it', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e4, noNaN: true }), fc.double({ min: 0, max: 1e4, noNaN: true }), (good, bad) => {
      const [one, more] = [scoreOfEvidence({ good, bad }), scoreOfEvidence({ good: good * 10, bad: bad * 10 })];
      expect(one.low).toBeLessThanOrEqual(one.mean);
      expect(one.mean).toBeLessThanOrEqual(one.high);
      expect(one.low).toBeGreaterThanOrEqual(0);
      expect(one.high).toBeLessThanOrEqual(1);
      if (good + bad > 10) expect(more.high - more.low).toBeLessThan(one.high - one.low + 1e-9);
    }),
  );
  expect(scoreOfEvidence({ good: 0, bad: 0 })).toMatchObject({ mean: 0.5, weight: 0 });
});

test('it halves in its half-life, and never grows', () => {
  expect(decay(0)).toBe(1);
  expect(decay(HALF_LIFE_DAYS * 86_400_000)).toBeCloseTo(0.5);
  expect(decay(-5)).toBe(1);
});

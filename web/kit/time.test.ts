import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ago } from './time.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();
const english = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const DAY = 86_400;

test.each([
  [0, 'just now'],
  [-9, 'just now'],
  [9, 'just now'],
  [-10, '10 seconds ago'],
  [-60, '1 minute ago'],
  [-3_599, '59 minutes ago'],
  [7_200, 'in 2 hours'],
  [-DAY, 'yesterday'],
  [DAY, 'tomorrow'],
  [-6 * DAY, '6 days ago'],
  [-13 * DAY, 'last week'],
  [45 * DAY, 'next month'],
  [-400 * DAY, 'last year'],
  [-2_000 * 365 * DAY, '2,000 years ago'],
])('%d seconds away: %s', (seconds, words) => {
  expect(ago(at(seconds), NOW)).toBe(words);
});

test('the words are those of the language', () => {
  const steps = { minute: 60, hour: 3_600, day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY };
  fc.assert(
    fc.property(fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])), fc.constantFrom(-6, -3, -2, -1, 1, 2, 3, 6), (unit, count) => {
      // Seven days are a week, five weeks a month: the larger unit says it.
      if (unit === 'week' && Math.abs(count) > 4) return;
      expect(ago(at(count * steps[unit]), NOW)).toBe(english.format(count, unit));
    }),
  );
});

test('what is no time is shown as it is', () => {
  expect(ago('soon', NOW)).toBe('soon');
});

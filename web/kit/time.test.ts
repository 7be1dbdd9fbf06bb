import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { ago, exact } from './time.ts';

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

const { TZ } = process.env;
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

test.each([
  ['UTC', '2026-11-26T09:05:00Z', '26 Nov 2026, 09:05:00 UTC'],
  ['Europe/Berlin', '2026-11-26T23:05:00Z', '27 Nov 2026, 00:05:00 UTC+1'],
  ['Europe/Berlin', '2026-07-01T00:00:00Z', '1 Jul 2026, 02:00:00 UTC+2'],
  ['America/St_Johns', '2026-01-01T00:00:00Z', '31 Dec 2025, 20:30:00 UTC-3:30'],
  ['Asia/Kathmandu', '2026-09-03T12:00:00+02:00', '3 Sept 2026, 15:45:00 UTC+5:45'],
])('the exact time in %s at %s: %s', (zone, time, words) => {
  process.env.TZ = zone;
  expect(exact(time)).toBe(words);
});

test('the exact time has the date and the clock of the language', () => {
  process.env.TZ = 'Europe/Lisbon';
  const zoned = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'Europe/Lisbon' });
  fc.assert(
    fc.property(fc.date({ min: new Date('1970-01-02'), max: new Date('2100-01-01'), noInvalidDate: true }), (time) => {
      expect(exact(time.toISOString()).replace(/ UTC.*/, '')).toBe(zoned.format(time));
    }),
  );
});

test('what is no time is shown as it is', () => {
  expect(ago('soon', NOW)).toBe('soon');
  expect(exact('soon')).toBe('soon');
});

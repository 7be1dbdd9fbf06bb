import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slicesOf, type Range, windowOf } from './window.ts';

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(`2026-11-${text}Z`);
const text = ({ from, to }: Range): string => [from, to].map((one) => new Date(one).toISOString().slice(8, 19)).join(' ');

test('whole days and hours come from counts, the ends from the records', () => {
  const { days, hours, exact } = slicesOf({ from: at('20T22:30:00'), to: at('23T01:15:00'), bucket: 'day' });
  expect(days.map(text)).toEqual(['21T00:00:00 23T00:00:00']);
  expect(hours.map(text)).toEqual(['20T23:00:00 21T00:00:00', '23T00:00:00 23T01:00:00']);
  expect(exact.map(text)).toEqual(['20T22:30:00 20T23:00:00', '23T01:00:00 23T01:15:00']);
});

test('where hours are asked for, days are not taken', () => {
  expect(slicesOf({ from: at('20T00:00:00'), to: at('23T00:00:00'), bucket: 'hour' })).toMatchObject({ days: [], exact: [] });
});

test('the slices of any window cover it once, and none of the exact ones is an hour long', () => {
  const window = fc.record({
    from: fc.nat(10 * 24 * HOUR),
    length: fc.integer({ min: 1, max: 500 * 24 * HOUR }),
    bucket: fc.constantFrom('hour', 'day', 'month'),
  });
  fc.assert(
    fc.property(window, ({ from, length, bucket }) => {
      const to = from + length;
      const { months, days, hours, exact } = slicesOf({ from, to, bucket });
      const all = [...months, ...days, ...hours, ...exact].toSorted((a, b) => a.from - b.from);
      expect(all[0]?.from).toBe(from);
      expect(all.at(-1)?.to).toBe(to);
      for (const [n, one] of all.entries()) if (n > 0) expect(one.from).toBe(all[n - 1]?.to);
      expect(months.flatMap((one) => [one.from, one.to]).every((one) => new Date(one).toISOString().endsWith('-01T00:00:00.000Z'))).toBe(true);
      expect(days.reduce((sum, one) => sum + one.to - one.from, 0)).toBeLessThan(bucket === 'month' ? 63 * 24 * HOUR : Infinity);
      expect(days.every((one) => one.from % (24 * HOUR) === 0 && one.to % (24 * HOUR) === 0)).toBe(true);
      expect(hours.every((one) => one.from % HOUR === 0 && one.to % HOUR === 0)).toBe(true);
      expect(exact.every((one) => one.to - one.from < 2 * HOUR)).toBe(true);
    }),
  );
});

test('a window is bounded', () => {
  const of = (from: string, bucket?: 'hour' | 'day' | 'month') => windowOf({ from, to: '2026-11-20T00:00:00Z', bucket }, 0, 7);
  expect(of('2026-11-18T00:00:00Z').bucket).toBe('hour');
  expect(of('2026-09-18T00:00:00Z').bucket).toBe('day');
  expect(of('2026-01-18T00:00:00Z').bucket).toBe('month');
  expect(of('2020-01-18T00:00:00Z').bucket).toBe('month');
  expect(() => of('2026-11-20T00:00:00Z')).toThrow('before');
  expect(() => of('2026-01-18T00:00:00Z', 'hour')).toThrow('buckets');
  expect(windowOf({}, at('20T00:00:00'), 7)).toMatchObject({ from: at('13T00:00:00'), to: at('20T00:00:00') });
});

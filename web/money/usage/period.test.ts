import { expect, test } from 'vitest';
import { dayIn, everyDay, lastDays, thisMonth } from './period.ts';

const now = Date.parse('2026-03-01T10:00:00Z');

test('periods end today', () => {
  expect(lastDays(7, now)).toEqual({ from: '2026-02-23', to: '2026-03-01' });
  expect(thisMonth(now)).toEqual({ from: '2026-03-01', to: '2026-03-01' });
});

test('only days are read from an address', () => {
  expect(dayIn('2026-02-01')).toBe('2026-02-01');
  for (const value of ['2026-2-1', '2026-13-01', 20_260_201, undefined]) expect(dayIn(value)).toBeUndefined();
});

test('days without use are there, too', () => {
  const period = { from: '2026-02-27', to: '2026-03-02' };
  expect(everyDay(period, [{ day: '2026-03-01', value: 3 }], 0)).toEqual([
    { day: '2026-02-27', value: 0 },
    { day: '2026-02-28', value: 0 },
    { day: '2026-03-01', value: 3 },
    { day: '2026-03-02', value: 0 },
  ]);
  expect(everyDay({ from: '2026-03-02', to: '2026-03-01' }, [], 0)).toEqual([]);
});

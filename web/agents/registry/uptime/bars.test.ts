import { expect, test } from 'vitest';
import { barsOf, outagesOf, shareOf } from './bars.ts';

const now = '2026-11-26T14:20:00.000Z';
const hour = (at: string, looks: number, well: number) => ({ hour: `2026-11-${at}:00:00.000Z`, looks, well });

test('the last bar holds now; what is older than the first is left out', () => {
  const hours = [hour('26T11', 9, 9), hour('26T12', 60, 58), hour('26T14', 20, 20)];
  const bars = barsOf({ now, hours }, 3, 1);
  expect(bars.map(({ looks, well }) => [looks, well])).toEqual([
    [60, 58],
    [0, 0],
    [20, 20],
  ]);
  expect(new Date(bars[2]?.from ?? 0).toISOString()).toBe('2026-11-26T14:00:00.000Z');
  expect(barsOf({ now, hours }, 1, 24)[0]).toMatchObject({ looks: 89, well: 87 });
});

test('a share is never rounded up to all', () => {
  expect(shareOf([{ looks: 100_000, well: 99_999 }])).toBe('99.99 %');
  expect(shareOf([{ looks: 3, well: 3 }])).toBe('100 %');
  expect(shareOf([])).toBeUndefined();
});

test('an outage ends with the next change, or not yet', () => {
  const down = (at: string) => ({ at, is_well: false, reason: 'no' });
  const up = (at: string) => ({ at, is_well: true, reason: null });
  expect(outagesOf([down('4'), up('3'), down('2'), up('1')])).toEqual([
    { from: '4', to: null, reason: 'no' },
    { from: '2', to: '3', reason: 'no' },
  ]);
});

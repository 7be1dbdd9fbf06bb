import { expect, test } from 'vitest';
import type { BackupResult } from '#contract/platform/backup-result.ts';
import { nextBackup } from './next-time.ts';

const now = new Date(2026, 11, 1, 12, 0, 0);
const hours = (count: number): Date => new Date(now.getTime() + count * 3_600_000);
const result = (last: number | null, more: Partial<BackupResult> = {}): BackupResult => ({
  at: hours(last ?? -1).toISOString(),
  to: '/backups',
  error: null,
  last: last === null ? null : { id: 'x', at: hours(last).toISOString(), bytes: 1, took_ms: 1 },
  ...more,
});

test.each([
  ['after a good one, at its time', { at: '03:00', last: result(-9) }, hours(15)],
  ['later the same day', { at: '18:30', last: result(-9) }, hours(6.5)],
  ['after a start with none, or with one that is too old, once the start is over', { at: '03:00', last: undefined }, hours(1 / 12)],
  ['a night was missed', { at: '03:00', last: result(-40) }, hours(1 / 12)],
  [
    'one that failed is tried again an hour later',
    { at: '03:00', last: result(-9, { at: hours(-0.25).toISOString(), error: 'The disk is full.' }) },
    hours(0.75),
  ],
  ['and not after its time', { at: '12:30', last: result(-9, { at: hours(0).toISOString(), error: 'The disk is full.' }) }, hours(0.5)],
])('%s', (_what, { at, last }, due) => {
  expect(nextBackup({ now, at, last })).toEqual(due);
});

import { expect, test } from 'vitest';
import { parseCron } from './cron.ts';
import { clockChanges, type DueRule } from './due-times.ts';
import { clockNote } from './clock-note.ts';

const notes = (cron: string, more: Partial<DueRule> = {}): string[] => {
  const rule = { cron: parseCron(cron), timeZone: 'Europe/Berlin', skippedTimes: 'run_after', repeatedTimes: 'once', ...more } as const;
  return [...clockChanges(rule, Date.parse('2027-01-01'), Date.parse('2028-01-01'))].map((change) => clockNote(change, rule.timeZone));
};

test('says what becomes of each time', () => {
  expect(notes('30 2 * * *')).toEqual(['28 Mar 2027: the clock skips 02:30; runs once at 03:00.', '31 Oct 2027: 02:30 comes twice; only the first runs.']);
  expect(notes('*/20 2 * * *', { skippedTimes: 'leave_out', repeatedTimes: 'twice' })).toEqual([
    '28 Mar 2027: the clock skips 02:00 and 2 more; nothing runs for them.',
    '31 Oct 2027: 02:00 and 2 more come twice; both run.',
  ]);
  expect(notes('30 * * * *')).toEqual([]);
});

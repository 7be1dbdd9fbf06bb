import { expect, it, test } from 'vitest';
import { DAY_MS, parseCron } from '#contract/conversation/cron.ts';
import { type DueRule, dueTimes } from '#contract/conversation/due-times.ts';
import type { UtcCalendar } from '#drivers/workflows/schedules.ts';
import { planDays, plannedCalendars } from './plan.ts';

const now = Date.parse('2026-11-29T14:20:00Z');
const ruleOf = (cron: string, timeZone: string): DueRule => ({ cron: parseCron(cron), timeZone, skippedTimes: 'run_after', repeatedTimes: 'once' });

/** All times that calendars name, in order. */
function timesOf(calendars: readonly UtcCalendar[]): number[] {
  const times: number[] = [];
  for (const { years = [], months = [], days = [], hours = [], minutes = [] } of calendars)
    for (const year of years)
      for (const month of months)
        for (const day of days) {
          const at = Date.UTC(year, month - 1, day);
          // As the engine: no month has days of the next.
          if (new Date(at).getUTCDate() !== day) continue;
          for (const hour of hours) for (const minute of minutes) times.push(at + (hour * 60 + minute) * 60_000);
        }
  return times.toSorted((a, b) => a - b);
}

test.each([
  ['30 2 * * *', 'Europe/Berlin', 30],
  ['*/30 2-5 * * *', 'Europe/Berlin', 40],
  ['0 9 * * mon-fri', 'America/New_York', 60],
  ['*/5 * * * *', 'Australia/Lord_Howe', 20],
  ['15,45 1-3 * * sun', 'Australia/Lord_Howe', 60],
  ['30 23 L * *', 'Asia/Kathmandu', 40],
  ['0 0 15W * mon#2', 'America/Santiago', 60],
  ['*/20 0-4 * * *', 'Antarctica/Troll', 80],
  ['10 0 * * *', 'Africa/Casablanca', 40],
])('%s in %s: the calendars name exactly its times, in few entries', (cron, zone, most) => {
  const rule = ruleOf(cron, zone);
  const calendars = plannedCalendars(rule, now);
  const from = Math.floor(now / DAY_MS) * DAY_MS;
  expect(timesOf(calendars).join() === [...dueTimes(rule, from, from + (planDays + 1) * DAY_MS)].join()).toBe(true);
  expect(calendars.length).toBeLessThanOrEqual(most);
});

it('holds the next times of what comes more rarely than the plan reaches', () => {
  const times = timesOf(plannedCalendars(ruleOf('30 2 29 2 *', 'Europe/Berlin'), now)).map((at) => new Date(at).toISOString().slice(0, 16));
  expect(times).toEqual(['2028-02-29T01:30', '2032-02-29T01:30', '2036-02-29T01:30']);
});

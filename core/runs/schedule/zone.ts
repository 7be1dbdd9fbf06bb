// The zone in which Temporal reads a schedule's clock.
import type { Cron } from '#contract/runs/cron.ts';

/**
 * A schedule for every hour of every day is set in UTC: in its own zone Temporal would leave out the hour that the change from summer time
 * repeats. Zones that differ from UTC by part of an hour keep their own.
 */
export function engineZone(cron: Cron, timeZone: string): string {
  const always = cron.hour.length === 24 && cron.dayOfMonth.length === 31 && cron.month.length === 12 && cron.dayOfWeek.length === 7;
  return always && wholeHours(timeZone) ? 'UTC' : timeZone;
}

function wholeHours(timeZone: string): boolean {
  const year = new Date().getUTCFullYear();
  const name = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return [0, 6].every((month) => {
    const offset = name.formatToParts(Date.UTC(year, month, 15)).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return /^GMT([+-]\d{2}:00)?$/.test(offset);
  });
}

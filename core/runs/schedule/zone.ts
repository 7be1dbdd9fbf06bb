// In which zone the engine is to read a schedule's clock.
import type { Cron } from '#contract/runs/cron.ts';

/**
 * What comes in every hour of every day means the same in UTC, where no clock is ever changed: in its own zone the engine would leave out
 * the hour that the change from summer time repeats. Zones that are off by part of an hour keep their own.
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

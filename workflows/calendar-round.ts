// A time of the platform's calendar: one round, tried until it succeeds. The next times are skipped meanwhile.
import { proxyActivities } from '@temporalio/workflow';
import type { CalendarActivities } from '#activities/calendar.ts';

const { runCalendarRound } = proxyActivities<CalendarActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '1m',
  retry: { initialInterval: '5s', maximumInterval: '10m' },
});

export async function calendarRound(name: string): Promise<void> {
  await runCalendarRound(name);
}

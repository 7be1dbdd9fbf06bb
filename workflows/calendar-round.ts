// A time of the platform's calendar: one round, tried until it succeeds. The next times are skipped
// meanwhile.
import type { CalendarActivities } from '#activities/calendar.ts';
import { activities } from './queues.ts';

const { runCalendarRound } = activities<CalendarActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '1m',
  retry: { initialInterval: '5s', maximumInterval: '10m' },
});

export async function calendarRound(name: string): Promise<void> {
  await runCalendarRound(name);
}

// What processes run of this area.
import { type CalendarEntry, DAY_SECONDS } from '../kernel/calendar.ts';
import type { AreaLoop } from '../kernel/loop.ts';
import { nextTime, type WorkflowOwners } from '../kernel/lost-workflow.ts';
import { ensureCalendar } from './calendar/ensure.ts';

export { startListener } from './wakeups.ts';

export function jobLoops(calendar: readonly CalendarEntry[]): readonly AreaLoop[] {
  return [{ name: 'entries of the calendar', everyMs: 3_600_000, run: (ctx) => ensureCalendar(ctx, calendar) }];
}

export const jobCalendar: readonly CalendarEntry[] = [
  {
    name: 'retention',
    title: 'archives the events of old jobs',
    calendars: [{ hours: [3], minutes: [17] }],
    catchupWindowSeconds: DAY_SECONDS,
    jitterSeconds: 600,
    workflow: { type: 'retention', searchAttributes: { SvcKind: 'retention', SvcOwner: 'platform' } },
  },
];

/** By type of workflow: what becomes of its work when it is lost. */
export const jobOwners = { retention: nextTime, calendarRound: nextTime } satisfies WorkflowOwners;

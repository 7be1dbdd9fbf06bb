// What processes run of this area.
import { type CalendarEntry, DAY_SECONDS } from '../kernel/calendar.ts';
import type { AreaLoop } from '../kernel/loop.ts';
import { ensureCalendar } from './calendar/ensure.ts';
import { type Abandon, reconcileJobs } from './reconcile.ts';

export { startListener } from './wakeups.ts';

interface OfAreas {
  /** How each kind of job ends whose workflow is gone; from the areas that know the kinds. */
  abandon: Readonly<Record<string, Abandon>>;
  calendar: readonly CalendarEntry[];
}

export function jobLoops({ abandon, calendar }: OfAreas): readonly AreaLoop[] {
  return [
    { name: 'reconcile', everyMs: 30_000, run: (ctx) => reconcileJobs(ctx, abandon) },
    { name: 'entries of the calendar', everyMs: 3_600_000, run: (ctx) => ensureCalendar(ctx, calendar) },
  ];
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

// What the platform does by the calendar: an entry of an area is a schedule of the workflow engine, one a
// cluster, with its history.
import type { StartWorkflow } from '#drivers/workflows/port.ts';
import type { UtcCalendar } from '#drivers/workflows/schedules.ts';
import type { Ctx } from './ctx.ts';

interface Times {
  /** Of the schedule (`svc:<name>`) and of its workflows. */
  name: string;
  /** What it does, for operators. */
  title: string;
  calendars: readonly UtcCalendar[];
  /** A time that was missed for no longer than this, while the engine was down, is made up for. */
  catchupWindowSeconds: number;
  jitterSeconds?: number;
}

/** One round, which may come twice: it begins again after a crash, and after a failure until it succeeds. */
export interface CalendarRound extends Times {
  run: (ctx: Ctx) => Promise<unknown>;
}

/** A round that has a workflow type of its own. */
interface CalendarWorkflow extends Times {
  workflow: Pick<StartWorkflow, 'type' | 'searchAttributes'>;
}

export type CalendarEntry = CalendarRound | CalendarWorkflow;

export const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 86_400;

// Workflows that the engine starts by the calendar. Default driver: Temporal Schedules.
import type { StartWorkflow } from './port.ts';

/** Times in UTC: all combinations of the numbers. What is left out is every one; seconds: the first. */
export interface UtcCalendar {
  years?: readonly number[];
  /** From 1. */
  months?: readonly number[];
  days?: readonly number[];
  hours?: readonly number[];
  minutes?: readonly number[];
  seconds?: readonly number[];
}

export interface WorkflowSchedule {
  scheduleId: string;
  /**
   * A time that one of them names is a time of the schedule. In UTC, so that what a time zone and a cron
   * expression mean is decided in one place, ours.
   */
  calendars: readonly UtcCalendar[];
  /**
   * While a workflow it started is still under way: start none, one afterwards, another beside it, or cancel
   * that one first.
   */
  overlap: 'skip' | 'buffer_one' | 'allow_all' | 'cancel_other';
  /** Times missed for no longer than this while the engine was down are made up for. At least 10. */
  catchupWindowSeconds: number;
  /** Each time is moved on by up to this. */
  jitterSeconds: number;
  paused: boolean;
  /** For operators. */
  note: string;
  /** The engine appends the time to the workflow's id. */
  workflow: StartWorkflow;
}

export interface ScheduleView {
  /** Changes with each change of the schedule. */
  fingerprint: string;
  /** The next ones, jitter included, as the engine computes them. */
  nextTimes: Date[];
  paused: boolean;
  note: string;
}

export interface WorkflowSchedules {
  /**
   * Makes it or makes it so; resolves with what is there then. Rejects with ScheduleRefused where the engine
   * cannot take it as it is.
   */
  put(schedule: WorkflowSchedule): Promise<ScheduleView>;
  /** Undefined: there is none. */
  describe(scheduleId: string): Promise<ScheduleView | undefined>;
  /** Ends nothing that is under way. Removing what does not exist is fine. */
  remove(scheduleId: string): Promise<void>;
  /** Ids of all that begin so; one made a moment ago may be missing. */
  list(prefix: string): Promise<string[]>;
}

/** Asking again will not help. */
export class ScheduleRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ScheduleRefused';
  }
}

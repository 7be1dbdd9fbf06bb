// A schedule is a row; Temporal's own schedule is made from it. Each time it comes due is a firing.
import type { FiringState } from '#contract/states.ts';
import type { ScheduleTarget } from '#contract/conversation/schedules.ts';
import type { StartWorkflow } from '#drivers/workflows/port.ts';
import type { WorkflowSchedule } from '#drivers/workflows/schedules.ts';
import { parseCron } from '#contract/conversation/cron.ts';
import type { DueRule } from '#contract/conversation/due-times.ts';
import type { SchedulesRow } from '#db/tables.ts';
import { plannedCalendars } from './plan.ts';

/** Prefix of the ids of our schedules in Temporal: this platform keeps or removes all that have it. */
export const SCHEDULE_PREFIX = 'sched:';

export function engineIdOf(scheduleId: string): string {
  return SCHEDULE_PREFIX + scheduleId;
}

export function dueRuleOf(row: Pick<SchedulesRow, 'cron' | 'time_zone' | 'skipped_times' | 'repeated_times'>): DueRule {
  return { cron: parseCron(row.cron), timeZone: row.time_zone, skippedTimes: row.skipped_times, repeatedTimes: row.repeated_times };
}

export function engineScheduleOf(row: SchedulesRow, now: number): WorkflowSchedule {
  return {
    scheduleId: engineIdOf(row.schedule_id),
    calendars: plannedCalendars(dueRuleOf(row), now),
    overlap: row.overlap,
    catchupWindowSeconds: row.catchup_window_seconds,
    jitterSeconds: row.jitter_seconds,
    paused: row.paused,
    note: row.paused_by === 'failure' ? 'paused after a failure' : row.paused ? 'paused by its owner' : '',
    workflow: engineWorkflowOf(row),
  };
}

/** The engine appends the time to its id. */
export function engineWorkflowOf(row: SchedulesRow): StartWorkflow {
  const target = scheduleTarget(row);
  return {
    type: 'scheduledRun',
    workflowId: `schedrun:${row.schedule_id}`,
    taskQueue: 'control',
    args: [{ schedule_id: row.schedule_id }],
    searchAttributes: { SvcKind: 'schedule', SvcOwner: row.owner_id, ...(target.kind === 'skill' ? { SvcAgent: target.agent } : {}) },
  };
}

// Safe: the column has two writers, create.ts and update.ts, which write what the contract parsed.
export function scheduleTarget(row: Pick<SchedulesRow, 'target'>): ScheduleTarget {
  return row.target as ScheduleTarget;
}

export type { FiringState };

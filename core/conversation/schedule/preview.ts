// What a schedule would do: nothing is asked of the engine, which has its times from the same reader.
import type { z } from 'zod';
import { DAY_MS, parseCron } from '#contract/conversation/cron.ts';
import { clockChanges, type DueRule, firstDue } from '#contract/conversation/due-times.ts';
import type { ClockChangeOut, SchedulePreviewOut, schedulePreviews } from '#contract/conversation/schedules.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';

const clockChangesAheadMs = 400 * DAY_MS;

export function previewSchedule(ctx: Ctx, i: z.output<typeof schedulePreviews.preview.query>): z.infer<typeof SchedulePreviewOut> {
  requireUser(ctx, 'schedule.read');
  const rule = { cron: parseCron(i.cron), timeZone: i.time_zone, skippedTimes: i.skipped_times, repeatedTimes: i.repeated_times };
  const after = i.after === undefined ? ctx.clock() : Date.parse(i.after);
  return { next_times: firstDue(rule, after + 1, i.count).map(instant), clock_changes: presentClockChanges(rule, after) };
}

export function presentClockChanges(rule: DueRule, from: number): z.infer<typeof ClockChangeOut>[] {
  return [...clockChanges(rule, from, from + clockChangesAheadMs)].map(({ kind, at, clock, count, runs }) => ({
    kind,
    at: instant(at),
    local_time: instant(clock).slice(0, 16),
    count,
    runs_at: runs.map(instant),
  }));
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

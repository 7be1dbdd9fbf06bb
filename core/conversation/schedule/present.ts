// How schedules look on the wire. Their next times come from Temporal, which decides them.
import type { z } from 'zod';
import type { FiringOut, ScheduleOut } from '#contract/conversation/schedules.ts';
import type { ScheduleFiringsRow, SchedulesRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { dueRuleOf, engineIdOf, scheduleTarget } from './model.ts';
import { presentClockChanges } from './preview.ts';
import { storedFault } from '../../kernel/errors.ts';

type Schedule = z.infer<typeof ScheduleOut>;

/** How long a reader waits for the engine in all. */
const askMs = 2_000;
const requestsAtOnce = 8;

/** Shows rows of one page. */
export async function presentSchedules(ctx: Ctx, rows: readonly SchedulesRow[]): Promise<Schedule[]> {
  const [last, next] = await Promise.all([lastFirings(ctx, rows), nextTimes(ctx, rows)]);
  return rows.map((row) => presentSchedule(row, last.get(row.schedule_id), next.get(row.schedule_id) ?? null, ctx.clock()));
}

function presentSchedule(row: SchedulesRow, last: ScheduleFiringsRow | undefined, next: string[] | null, now: number): Schedule {
  return {
    schedule_id: row.schedule_id,
    title: row.title,
    cron: row.cron,
    time_zone: row.time_zone,
    skipped_times: row.skipped_times,
    repeated_times: row.repeated_times,
    overlap: row.overlap,
    catchup_window_seconds: row.catchup_window_seconds,
    jitter_seconds: row.jitter_seconds,
    pause_on_failure: row.pause_on_failure,
    paused: row.paused,
    paused_by: row.paused_by === 'owner' || row.paused_by === 'failure' ? row.paused_by : null,
    target: scheduleTarget(row),
    next_times: row.paused ? [] : next,
    clock_changes: presentClockChanges(dueRuleOf(row), now),
    last_run: last ? presentFiring(last) : null,
    last_error: storedFault(row.last_error),
    failures_in_a_row: row.failures_in_a_row,
    in_effect: row.synced_version >= row.version,
    sync_error: row.synced_version >= row.version ? null : row.sync_error,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function presentFiring(row: ScheduleFiringsRow): z.infer<typeof FiringOut> {
  return {
    cause: row.cause === 'manual' ? 'manual' : 'time',
    due_at: row.due_at.toISOString(),
    state: row.state,
    job_id: row.job_id,
    run_id: row.run_id,
    error: storedFault(row.error),
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

async function lastFirings(ctx: Ctx, rows: readonly SchedulesRow[]): Promise<Map<string, ScheduleFiringsRow>> {
  const result = await ctx.db.raw<{ rows: ScheduleFiringsRow[] }>(
    `select f.* from unnest(:ids::text[]) s(schedule_id)
     cross join lateral (select * from schedule_firings f where f.schedule_id = s.schedule_id order by started_at desc, firing_id desc limit 1) f`,
    { ids: rows.map((row) => row.schedule_id) },
  );
  return new Map(result.rows.map((row) => [row.schedule_id, row]));
}

/** By schedule; those that Temporal did not answer for in time are missing. */
async function nextTimes(ctx: Ctx, rows: readonly SchedulesRow[]): Promise<Map<string, string[]>> {
  const timesById = new Map<string, string[]>();
  const pending = rows.filter((row) => !row.paused && row.fingerprint !== null);
  const ask = async (): Promise<void> => {
    for (let row = pending.pop(); row; row = pending.pop()) {
      const view = await ctx.drivers.schedules.describe(engineIdOf(row.schedule_id)).catch(() => undefined);
      if (view)
        timesById.set(
          row.schedule_id,
          view.nextTimes.map((time) => time.toISOString()),
        );
    }
  };
  const all = Promise.all(Array.from({ length: Math.min(requestsAtOnce, pending.length) }, ask));
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, askMs).unref())]);
  return timesById;
}

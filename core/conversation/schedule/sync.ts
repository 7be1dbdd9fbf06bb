// Writes the rows to Temporal. One writer at a time for each schedule: an older version never overwrites a
// newer one.
import { setTimeout as delay } from 'node:timers/promises';
import { DAY_MS } from '#contract/conversation/cron.ts';
import type { SchedulesRow } from '#db/tables.ts';
import { ScheduleRefused } from '#drivers/workflows/schedules.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { leasedUntil } from '../../kernel/lease.ts';
import { engineIdOf, engineScheduleOf } from './model.ts';
import { planDays, renewDays } from './plan.ts';

/** Longer than all calls to Temporal that one writer makes. */
const leaseSeconds = 60;
/** Between tries of a write that Temporal refused. */
const retrySeconds = 5;
/** Between tries of one that it will refuse again. */
const refusedSeconds = 3600;
const batch = 50;

/** How long a verb waits for Temporal; the rest happens after its answer. */
const syncTimeoutMs = 2_000;
/** Between checks of another writer's progress. */
const followMs = 20;

type Deps = Pick<Ctx, 'db' | 'drivers' | 'clock'>;

/** Changed, or its times in the engine do not reach far enough. */
const toWrite = `(synced_version < version or (deleted_at is null and (planned_until is null or planned_until < now() + interval '${renewDays} days')))`;

/** Somebody writes it, or it is tried again later. */
const busy = `(${leasedUntil('sync_until', leaseSeconds)} or (sync_error is not null and ${leasedUntil('sync_until', refusedSeconds)}))`;

/** After a change has been committed: resolves when Temporal has it, or after a moment. */
export async function syncSoon(ctx: Deps, scheduleId: string): Promise<void> {
  const over = AbortSignal.timeout(syncTimeoutMs);
  const moment = new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
  await Promise.race([syncOrFollow(ctx, scheduleId, over).catch(() => undefined), moment]);
}

/** A writer that is still at an older version continues to the newest on its own. */
async function syncOrFollow(ctx: Deps, scheduleId: string, over: AbortSignal): Promise<void> {
  while (!(await syncSchedule(ctx, scheduleId)) && (await isBehind(ctx, scheduleId))) await delay(followMs, undefined, { signal: over });
}

/**
 * Resolves when Temporal has the newest version, has refused it, or could not be reached: then the sweeper
 * tries again. Never rejects because of Temporal. False: there was nothing to write.
 */
export async function syncSchedule(ctx: Deps, scheduleId: string): Promise<boolean> {
  let wrote = false;
  for (let row = await lease(ctx, scheduleId); row; row = await lease(ctx, scheduleId)) {
    wrote = true;
    if (!(await write(ctx, row))) return true;
  }
  return wrote;
}

async function isBehind({ db }: Deps, scheduleId: string): Promise<boolean> {
  return (await db('schedules').where({ schedule_id: scheduleId }).whereRaw('synced_version < version').first('schedule_id')) !== undefined;
}

/**
 * Schedules whose writer died or was refused, and those whose times are written anew. Resolves with their
 * number.
 */
export async function syncSchedules(ctx: Deps): Promise<number> {
  const behind = await ctx.db('schedules').whereRaw(`${toWrite} and not ${busy}`).orderBy('updated_at').limit(batch).select('schedule_id');
  for (const { schedule_id } of behind) await syncSchedule(ctx, schedule_id);
  return behind.length;
}

async function lease({ db }: Deps, scheduleId: string): Promise<SchedulesRow | undefined> {
  const [row] = await db('schedules')
    .where({ schedule_id: scheduleId })
    .whereRaw(`${toWrite} and not ${busy}`)
    .update({ sync_until: db.raw(`now() + interval '${leaseSeconds} seconds'`) })
    .returning('*');
  return row;
}

async function write({ db, drivers, clock }: Deps, row: SchedulesRow): Promise<boolean> {
  const mine = db('schedules').where({ schedule_id: row.schedule_id });
  try {
    let fingerprint: string | null = null;
    const now = clock();
    if (row.deleted_at === null) ({ fingerprint } = await drivers.schedules.put(engineScheduleOf(row, now)));
    else await drivers.schedules.remove(engineIdOf(row.schedule_id));
    const planned_until = new Date(now + planDays * DAY_MS).toISOString();
    await mine.update({ synced_version: row.version, planned_until, fingerprint, sync_error: null, sync_until: null });
    return true;
  } catch (error) {
    const refused = error instanceof ScheduleRefused;
    const why = error instanceof Error ? causeOf(error) : 'unknown';
    const sync_error = refused ? `The scheduler refused it: ${why}` : `The scheduler could not be reached and is tried again soon: ${why}`;
    await mine.update({ sync_error, sync_until: db.raw(`now() + interval '${refused ? refusedSeconds : retrySeconds} seconds'`) });
    return false;
  }
}

/** The error is of our own Temporal: its owner may read all of it. */
function causeOf(error: Error): string {
  const { cause } = error;
  return `${error.message}${cause instanceof Error ? `: ${cause.message}` : ''}`.slice(0, 400);
}

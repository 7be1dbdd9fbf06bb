// A schedule has come due. Its workflow may call this more than once: the first call makes the firing's row,
// and an idempotency key makes its run one.
import { act, done, system } from '../../kernel/act.ts';
import type { ScheduleFiringsRow, SchedulesRow } from '#db/tables.ts';
import type { FiringOut } from '#contract/conversation/schedules.ts';
import type { z } from 'zod';
import type { StartWorkflow } from '#drivers/workflows/port.ts';
import { controlOf } from '../../accounts/control.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, DomainError, faultOf, type Fault } from '../../kernel/errors.ts';
import { uuidv7 } from '../../kernel/ids.ts';
import { noteOpenWorkflow } from '../../outbox/messages.ts';
import { endFiring } from './ended.ts';
import { scheduleById } from './find.ts';
import { engineWorkflowOf, type FiringState, scheduleTarget } from './model.ts';
import { presentFiring } from './present.ts';
import { startTarget } from './start-target.ts';

export interface DueIn {
  schedule_id: string;
  /** The workflow's id. */
  firing_id: string;
  /** Milliseconds since the epoch: when it should have begun, and when its workflow was made. */
  due_at: number;
  made_at: number;
}

/**
 * Its state; wait for the end of a `running` one. Undefined: the schedule was deleted or paused meanwhile.
 */
export async function beginFiring(ctx: Ctx, i: DueIn): Promise<FiringState | undefined> {
  const row = await ctx.db('schedules').where({ schedule_id: i.schedule_id }).whereNull('deleted_at').first();
  const known = await ctx.db('schedule_firings').where({ firing_id: i.firing_id }).first();
  if (known && known.state !== 'starting') return known.state;
  if (!row) return known && endWithFault(ctx, i.firing_id, 'failed', { code: 'schedule_deleted', message: 'The schedule was deleted before this could begin' });
  if (row.paused && !known) return undefined;
  const due = new Date(i.due_at).toISOString();
  if (!known) {
    await system(ctx, async (ctx) => {
      await ctx
        .db('schedule_firings')
        .insert({ firing_id: i.firing_id, schedule_id: i.schedule_id, cause: 'time', due_at: due, state: 'starting' })
        .onConflict('firing_id')
        .ignore();
      await noteOpenWorkflow(ctx.db, workflowOf(row, i));
    });
  }
  // Temporal handles the time that it was down; this handles the time that the worker was.
  const late = ctx.clock() - i.made_at;
  if (late > row.catchup_window_seconds * 1000) return endWithFault(ctx, i.firing_id, 'missed', missed(late, row));
  const { suspended } = await controlOf(ctx.db, row.owner_id);
  // Missed, not failed: a failure would pause the schedule, and it should continue when the account may call
  // again.
  if (suspended)
    return endWithFault(ctx, i.firing_id, 'missed', { code: 'account_suspended', message: 'An operator has suspended this account: nothing was started' });
  try {
    // The owner set the schedule; what it starts asks as they would.
    await system(ctx, async (ctx) => {
      const started = await startTarget(ctx, row, { idempotencyKey: i.firing_id });
      await ctx
        .db('schedule_firings')
        .where({ firing_id: i.firing_id, state: 'starting' })
        .update({ state: 'running', ...started });
    });
    return 'running';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return endWithFault(ctx, i.firing_id, 'failed', faultOf(error));
  }
}

/** As the engine's calendar has started it, with the times that it meant. */
function workflowOf(row: SchedulesRow, { firing_id, due_at, made_at }: DueIn): StartWorkflow {
  return { ...engineWorkflowOf(row), workflowId: firing_id, args: [{ schedule_id: row.schedule_id, firing: { due_at, made_at } }] };
}

function missed(lateMs: number, row: SchedulesRow): Fault {
  const late = Math.round(lateMs / 1000);
  return { code: 'missed', message: `The platform was down for ${late} s when it was due, longer than its catch-up window of ${row.catchup_window_seconds} s` };
}

async function endWithFault(ctx: Ctx, firingId: string, state: 'missed' | 'failed', error: Fault): Promise<FiringState> {
  await system(ctx, (ctx) => endFiring(ctx, { firing_id: firingId }, { state, error }));
  const row = await ctx.db('schedule_firings').where({ firing_id: firingId }).first('state');
  return row?.state ?? state;
}

/**
 * On its owner's request, regardless of time, pause and overlap. @throws what starting the run throws;
 * Conflict too_many_runs
 */
export async function runScheduleNow(ctx: Ctx, i: { schedule_id: string }): Promise<z.infer<typeof FiringOut>> {
  return act(ctx, 'schedule.run', scheduleById(i.schedule_id), async (ctx, row) => {
    const { rows } = await ctx.db.raw<{ rows: { n: number }[] }>(
      `select count(*)::int as n from schedule_firings where schedule_id = ? and cause = 'manual' and ended_at is null`,
      [row.schedule_id],
    );
    if ((rows[0]?.n ?? 0) >= MAX_MANUAL)
      throw new Conflict('too_many_runs', `${MAX_MANUAL} of your runs of this schedule are still in progress: wait for some to end`);
    const started = await startTarget(ctx, row, {});
    const now = ctx.clock();
    const [firing] = await ctx
      .db('schedule_firings')
      .insert({
        firing_id: `manual:${uuidv7(now)}`,
        schedule_id: row.schedule_id,
        cause: 'manual',
        due_at: new Date(now).toISOString(),
        state: 'running',
        ...started,
      })
      .returning<ScheduleFiringsRow[]>('*');
    if (!firing) throw new Error('the firing was not stored');
    return done({ schedule: row.schedule_id }, { job_id: started.job_id, target: scheduleTarget(row).kind }, presentFiring(firing));
  });
}

/** Of one schedule: started by hand and not ended. */
const MAX_MANUAL = 10;

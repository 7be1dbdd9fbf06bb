// Records the outcome of a firing on its schedule: the last error, failures in a row, and the pause after a
// failure.
import { type Fault, storedFault } from '../../kernel/errors.ts';
import { afterCommit } from '../../kernel/after-commit.ts';
import { audit } from '../../kernel/audit.ts';
import type { ScheduleFiringsRow } from '#db/tables.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import type { EndedJob, JobEnd } from '../../jobs/followers.ts';
import { isTerminal } from '../../jobs/model.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { storableJson } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { syncSoon } from './sync.ts';

export interface FiringEnd {
  state: 'succeeded' | 'failed' | 'cancelled' | 'missed';
  error?: Fault | null;
}

/**
 * Does nothing unless a schedule started the job. Its workflow gets a signal, so that the next firing sees
 * that this one is over.
 */
export async function endFiringOfJob(ctx: TxCtx, { job_id }: EndedJob, { state, error }: JobEnd): Promise<void> {
  const firing = await endFiring(ctx, { job_id }, { state, error: error ?? null });
  if (firing?.cause === 'time') await signalWorkflow(ctx, firing.firing_id, 'childEnded', [{ job_id, state }]);
}

/** Undefined: it had ended already, or there is none. */
export async function endFiring(
  ctx: TxCtx,
  which: { firing_id: string } | { job_id: string },
  { state, error = null }: FiringEnd,
): Promise<ScheduleFiringsRow | undefined> {
  const [firing] = await ctx
    .db('schedule_firings')
    .where(which)
    .whereNull('ended_at')
    .update({ state, ended_at: new Date(ctx.clock()).toISOString(), error: error === null ? null : storableJson(error) })
    .returning('*');
  if (!firing) return undefined;
  const mine = ctx.db('schedules').where({ schedule_id: firing.schedule_id });
  if (state === 'succeeded') await mine.update({ failures_in_a_row: 0, last_error: null });
  if (state === 'missed') await mine.update({ last_error: storableJson(error) });
  if (state !== 'failed') return firing;
  await mine.update({ failures_in_a_row: ctx.db.raw('failures_in_a_row + 1'), last_error: error === null ? null : storableJson(error) });
  const paused = await ctx
    .db('schedules')
    .where({ schedule_id: firing.schedule_id, pause_on_failure: true, paused: false })
    .whereNull('deleted_at')
    .update({ paused: true, paused_by: 'failure', version: ctx.db.raw('version + 1') });
  if (paused > 0) {
    await audit(ctx, 'schedule.pause', { schedule: firing.schedule_id }, { firing_id: firing.firing_id, code: error?.code ?? null });
    afterCommit(ctx.db, (db) => void syncSoon({ ...ctx, db }, firing.schedule_id));
  }
  return firing;
}

/** Whether it has ended, by its job; for workflows that missed the signal. */
export async function checkFiring(ctx: Ctx, firingId: string): Promise<boolean> {
  return system(ctx, async (ctx) => {
    const firing = await ctx.db('schedule_firings').where({ firing_id: firingId }).first();
    if (!firing || firing.ended_at !== null) return true;
    const job = firing.job_id === null ? undefined : await ctx.db('jobs').where({ job_id: firing.job_id }).first('state', 'error');
    if (!job || !isTerminal(job.state)) return false;
    await endFiring(ctx, { firing_id: firingId }, { state: endOf(job.state), error: storedFault(job.error) });
    return true;
  });
}

function endOf(state: string): FiringEnd['state'] {
  return state === 'succeeded' || state === 'cancelled' ? state : 'failed';
}

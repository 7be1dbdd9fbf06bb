// A job moves by a guarded update, together with the event that says so.
import type { Fault } from '../kernel/errors.ts';
import type { Knex } from 'knex';
import { joinTx } from '../kernel/tx.ts';
import { storableJson } from '../kernel/storable.ts';
import { appendEvent } from './append-event.ts';
import { isTerminal, type JobState } from './model.ts';

export interface Transition {
  from: readonly JobState[];
  to: JobState;
  output?: Record<string, unknown>;
  error?: Fault;
}

/**
 * Resolves true when this call moved the job; false when it was not in one of `from` (another process moved
 * it first).
 */
export async function transitionJob(db: Knex, jobId: string, { from, to, output, error }: Transition): Promise<boolean> {
  const ended = isTerminal(to);
  return joinTx(db, async (tx) => {
    const moved = await tx('jobs')
      .where({ job_id: jobId })
      .whereIn('state', [...from])
      .update({
        state: to,
        ...(to === 'running' ? { started_at: tx.raw('coalesce(started_at, now())') } : {}),
        ...(ended ? { ended_at: tx.raw('now()') } : {}),
        ...(output ? { output: storableJson(output) } : {}),
        ...(error ? { error: storableJson(error) } : {}),
      });
    if (moved === 0) return false;
    await appendEvent(tx, jobId, `job.${to}`, { ...(output ? { output } : {}), ...(error ? { error } : {}) });
    return true;
  });
}

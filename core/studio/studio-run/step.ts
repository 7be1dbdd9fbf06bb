// How a run of the studio goes from one state to the next. Each step says what it does, for the people who
// watch.
import type { Knex } from 'knex';
import type { StudioActor, StudioState } from '#contract/states.ts';
import type { Insert } from '#db/table-types.ts';
import type { StudioRunsRow } from '#db/tables.ts';
import { joinTx } from '../../kernel/tx.ts';
import { appendEvent } from '../../jobs/append-event.ts';

export interface StudioStepEvent {
  actor: StudioActor;
  status: 'began' | 'done' | 'refused';
  message: string;
  [more: string]: unknown;
}

export async function say(db: Knex, run: Pick<StudioRunsRow, 'job_id'>, phase: StudioState, step: StudioStepEvent): Promise<void> {
  if (run.job_id !== null) await appendEvent(db, run.job_id, 'studio.step', { phase, ...step });
}

/**
 * Guarded by the state it comes from: a step that comes twice moves once. Resolves false where somebody else
 * moved it.
 */
export async function move(
  db: Knex,
  run: Pick<StudioRunsRow, 'run_id' | 'job_id' | 'state'>,
  to: StudioState,
  step: StudioStepEvent,
  set: Partial<Insert<'studio_runs'>> = {},
): Promise<boolean> {
  return joinTx(db, async (tx) => {
    const moved = await tx('studio_runs').where({ run_id: run.run_id, state: run.state }).whereNull('ended_at').update({ ...set, state: to }); // prettier-ignore
    if (moved > 0) await say(tx, run, to, step);
    return moved > 0;
  });
}

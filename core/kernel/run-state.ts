// A run's life: one table of its transitions, and the guarded update that makes one.
import type { Knex } from 'knex';
import { END_STATES, type RunRowState } from '#contract/states.ts';
import type { Insert } from '#db/table-types.ts';
import type { RunsRow } from '#db/tables.ts';

/**
 * The states that may follow each. Back to `queued`: its process was lost, and it is sent again. The last
 * three are final.
 */
export const RUN_TRANSITIONS: Readonly<Record<RunRowState, readonly RunRowState[]>> = {
  queued: ['running', 'failed', 'cancelled'],
  running: ['waiting', 'queued', ...END_STATES],
  waiting: ['running', 'queued', ...END_STATES],
  succeeded: [],
  failed: [],
  cancelled: [],
};

export type RunEndState = (typeof END_STATES)[number];

export const OPEN_RUN_STATES = statesIn((state) => RUN_TRANSITIONS[state].length > 0);

/** For SQL text: `state in (${openRunStates})`. */
export const openRunStates = OPEN_RUN_STATES.map((state) => `'${state}'`).join(', ');

/** For SQL text, where the index of open runs is not the one to use. */
export const endedRunStates = END_STATES.map((state) => `'${state}'`).join(', ');

export function isOpenRun({ state }: Pick<RunsRow, 'state'>): boolean {
  return OPEN_RUN_STATES.includes(state);
}

/** Its agent has been asked to execute it in this attempt. */
export function isDispatched({ state }: Pick<RunsRow, 'state'>): boolean {
  return state !== 'queued';
}

/** A workflow holds it, not its caller. */
export function isDurable({ kind }: Pick<RunsRow, 'kind'>): boolean {
  return kind !== 'call';
}

export function statesBefore(to: RunRowState): RunRowState[] {
  return statesIn((state) => RUN_TRANSITIONS[state].includes(to));
}

export interface RunMove {
  /** What else must be true of its row. */
  where?: Partial<RunsRow>;
  unless?: Knex.QueryBuilder;
  set?: Partial<Omit<Insert<'runs'>, 'state'>>;
}

/**
 * False: the run is in no state that `to` may follow, or not as asked. Only core/runs/run/end.ts writes ends.
 */
export async function moveRun(
  tx: Knex,
  runId: string | null,
  to: Exclude<RunRowState, RunEndState>,
  { where = {}, unless, set = {} }: RunMove = {},
): Promise<boolean> {
  const moved = await tx('runs')
    .where('run_id', runId)
    .where(where)
    .whereIn('state', statesBefore(to))
    .modify((query) => void (unless && query.whereNotExists(unless)))
    .update({ ...set, state: to });
  return moved > 0;
}

function statesIn(filter: (state: RunRowState) => boolean): RunRowState[] {
  // Safe: the keys of a record by state are states.
  return (Object.keys(RUN_TRANSITIONS) as RunRowState[]).filter(filter);
}

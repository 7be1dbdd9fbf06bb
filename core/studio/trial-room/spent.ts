import type { Knex } from 'knex';
import type { TrialRunsRow } from '#db/tables.ts';
import { spentOn } from '../../runs/run/spent.ts';

/**
 * Micro-dollars of all cases so far, those under way among them. A model that answers has no run: its case
 * says what it cost.
 */
export async function spentMicros(db: Knex, { run_id }: Pick<TrialRunsRow, 'run_id'>): Promise<number> {
  const results = await db('trial_results').where({ run_id }).whereNot({ state: 'queued' }).select('child_run_id', 'cost_micros'); // prettier-ignore
  const { micros } = await spentOn(db, results.flatMap(({ child_run_id }) => child_run_id ?? [])); // prettier-ignore
  return results.reduce((sum, { child_run_id, cost_micros }) => sum + (child_run_id === null ? (cost_micros ?? 0) : 0), micros);
}

// What answers cost: models that runs asked, with those of the runs that these called, and what priced skills charged.
import type { Knex } from 'knex';
import type { TrialRunsRow } from '#db/tables.ts';
import { treeOf } from '../../runs/proof/spent.ts';

/** Micro-dollars; `exact` is false where a model without a known price was asked. */
export async function costOfRun(db: Knex, runId: string): Promise<{ micros: number; exact: boolean }> {
  const { rows } = await db.raw<{ rows: { micros: string; unknown: boolean | null }[] }>(
    `with recursive ${treeOf}
     select coalesce((select sum(cost_micros) from llm_usage where run_id in (select run_id from tree)), 0)
          + coalesce((select sum(amount_micros) from charges where state = 'settled' and run_id in (select run_id from tree)), 0) as micros,
       exists (select 1 from llm_usage where cost_micros is null and state <> 'running' and run_id in (select run_id from tree)) as unknown`,
    { run: runId },
  );
  return { micros: Number(rows[0]?.micros ?? 0), exact: rows[0]?.unknown !== true };
}

/** Of all cases so far, those under way among them. */
export async function spentMicros(db: Knex, { run_id }: Pick<TrialRunsRow, 'run_id'>): Promise<number> {
  const results = await db('trial_results').where({ run_id }).whereNot({ state: 'queued' }).select('state', 'child_run_id', 'cost_micros'); // prettier-ignore
  let sum = 0;
  for (const { state, child_run_id, cost_micros } of results)
    sum += state === 'running' && child_run_id !== null ? (await costOfRun(db, child_run_id)).micros : (cost_micros ?? 0);
  return sum;
}

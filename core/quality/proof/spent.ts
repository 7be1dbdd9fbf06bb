// What the models cost that a run and those it called have asked.
import type { Knex } from 'knex';

/** `with recursive ${treeOf}`: the run `:run` and all that began in it. */
export const runTreeSql = `tree as (
  select cast(:run as text) as run_id union select r.run_id from runs r join tree t on r.parent_run_id = t.run_id
)`;

export interface ProofSpending {
  /** Micro-dollars; null: a model without a known price was asked. */
  micros: number | null;
  /** Of those with a price. */
  known: number;
}

export interface SpentRow {
  known: string | number;
  unknown: boolean | null;
}

/** SQL after `treeOf`: one SpentRow. */
export const SPENT = `select coalesce(sum(cost_micros), 0) as known, bool_or(cost_micros is null) as unknown from llm_usage where run_id in (select run_id from tree)`;

export async function spentIn(db: Knex, runId: string | null): Promise<ProofSpending> {
  const { rows } = await db.raw<{ rows: SpentRow[] }>(`with recursive ${runTreeSql} ${SPENT}`, { run: runId });
  return spentOf(rows[0] ?? { known: 0, unknown: null });
}

export function spentOf(row: SpentRow): ProofSpending {
  const known = Number(row.known);
  return { known, micros: row.unknown === true ? null : known };
}

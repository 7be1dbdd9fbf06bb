// What the models cost that a run and those it called have asked.
import type { Knex } from 'knex';

/** `with recursive ${treeOf}`: the run `:run` and all that began in it. */
export const treeOf = `tree as (
  select cast(:run as text) as run_id union select r.run_id from runs r join tree t on r.parent_run_id = t.run_id
)`;

export interface Spent {
  /** Micro-dollars; null: a model without a known price was asked. */
  micros: number | null;
  /** Of those with a price. */
  known: number;
}

export async function spentIn(db: Knex, runId: string | null): Promise<Spent> {
  const { rows } = await db.raw<{ rows: { known: string; unknown: boolean | null }[] }>(
    `with recursive ${treeOf}
     select coalesce(sum(cost_micros), 0) as known, bool_or(cost_micros is null) as unknown from llm_usage where run_id in (select run_id from tree)`,
    { run: runId },
  );
  const known = Number(rows[0]?.known ?? 0);
  return { known, micros: rows[0]?.unknown === true ? null : known };
}

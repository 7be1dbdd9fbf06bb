// What runs have cost: the models that they and all the runs they called have asked, and what priced skills
// charged them. One rule for all budgets: what is spent, and for what is still under way, or ended without
// saying its price, what was set aside for it.
import type { Knex } from 'knex';

export interface RunSpending {
  micros: number;
  /** False: some of it is what was set aside, as a model without a known price was asked. */
  exact: boolean;
}

const NOTHING_SPENT: RunSpending = { micros: 0, exact: true };

/**
 * Micro-dollars by the name of what the runs belong to. A run that several name counts for each, and once.
 */
export async function spentBy(db: Knex, runs: readonly { of: string; run_id: string }[]): Promise<Map<string, RunSpending>> {
  if (runs.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: { of: string; micros: string; exact: boolean }[] }>(
    `with recursive tree(of, run_id) as (
       select * from unnest(:names::text[], :ids::text[])
       union select t.of, r.run_id from runs r join tree t on r.parent_run_id = t.run_id
     )
     select of, sum(micros) as micros, bool_and(exact) as exact from (
       select t.of, case when u.state = 'running' then u.reserved_micros else coalesce(u.cost_micros, u.reserved_micros) end as micros,
         u.state = 'running' or u.cost_micros is not null as exact
       from tree t join llm_usage u on u.run_id = t.run_id
       union all select t.of, coalesce(c.amount_micros, c.held_micros), true from tree t join charges c on c.run_id = t.run_id where c.state <> 'released'
     ) spent group by of`,
    { names: runs.map(({ of }) => of), ids: runs.map(({ run_id }) => run_id) },
  );
  return new Map(rows.map(({ of, micros, exact }) => [of, { micros: Number(micros), exact }]));
}

/** Of all of them together. */
export async function spentOn(db: Knex, runIds: readonly string[]): Promise<RunSpending> {
  return (await spentBy(db, runIds.map((run_id) => ({ of: '', run_id })))).get('') ?? NOTHING_SPENT; // prettier-ignore
}

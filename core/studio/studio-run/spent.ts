// What runs of the studio have cost: the models that they asked, and what their calls of the finished agent asked and were charged.
import type { Knex } from 'knex';

/** Micro-dollars by run, in one statement; of a use under way what was reserved for it. */
export async function spentMicros(db: Knex, runIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.raw<{ rows: { root: string; micros: string }[] }>(
    `with recursive tree(root, run_id) as (
       select run_id, run_id from unnest(:ids::text[]) as t(run_id)
       union select c.run_id, c.child_run_id from studio_calls c where c.run_id = any(:ids)
       union select t.root, r.run_id from runs r join tree t on r.parent_run_id = t.run_id
     )
     select root, sum(micros) as micros from (
       select t.root, case when u.state = 'running' then u.reserved_micros else coalesce(u.cost_micros, u.reserved_micros) end as micros
       from tree t join llm_usage u on u.run_id = t.run_id
       union all select t.root, coalesce(c.amount_micros, c.held_micros) from tree t join charges c on c.run_id = t.run_id where c.state <> 'released'
     ) spent group by root`,
    { ids: [...runIds] },
  );
  return new Map(rows.map(({ root, micros }) => [root, Number(micros)]));
}

export async function spentBy(db: Knex, runId: string): Promise<number> {
  return (await spentMicros(db, [runId])).get(runId) ?? 0;
}

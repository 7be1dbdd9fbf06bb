// Counts what agents' runs used of language models, by hour, day and month. A use is counted once it has
// ended, and marked in the transaction that counts it.
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';

const BATCH = 2_000;

export async function countModelUse(ctx: Ctx): Promise<void> {
  while (await countNext(ctx));
}

/** False: all that has ended is counted. Uses that another worker holds are its own. */
function countNext(ctx: Ctx): Promise<boolean> {
  return system(ctx, async (ctx) => {
    const { rows } = await ctx.db.raw<{ rows: { uses: number }[] }>(
      `with batch as materialized (
         select usage_id from llm_usage where ended_at is not null and not counted order by usage_id limit ${BATCH} for update skip locked
       ), marked as (
         update llm_usage u set counted = true from batch where u.usage_id = batch.usage_id
         returning u.agent_name, u.user_id, u.model, u.started_at, u.input_tokens, u.cached_input_tokens, u.output_tokens, u.cost_micros
       ), put as (
         insert into model_use_counts as c (agent_id, grain, since, relation, model, uses, input_tokens, cached_input_tokens, output_tokens, cost_micros, unpriced)
           select a.agent_id, g.grain, date_trunc(g.grain, m.started_at, 'UTC'), case when m.user_id = a.owner_id then 'owner' else 'other' end, m.model,
                  count(*), sum(m.input_tokens)::bigint, sum(m.cached_input_tokens)::bigint, sum(m.output_tokens)::bigint,
                  coalesce(sum(m.cost_micros), 0)::bigint, count(*) filter (where m.cost_micros is null)
           from marked m join agents a on a.name = m.agent_name and a.deleted_at is null, (values ('hour'), ('day'), ('month')) g(grain)
           group by 1, 2, 3, 4, 5
         on conflict (agent_id, grain, since, relation, model) do update
           set uses = c.uses + excluded.uses, input_tokens = c.input_tokens + excluded.input_tokens,
               cached_input_tokens = c.cached_input_tokens + excluded.cached_input_tokens, output_tokens = c.output_tokens + excluded.output_tokens,
               cost_micros = c.cost_micros + excluded.cost_micros, unpriced = c.unpriced + excluded.unpriced
       )
       select count(*)::int as uses from batch`,
    );
    return rows[0]?.uses === BATCH;
  });
}

// What an agent's runs used of language models over a window. What callers pay is not the owner's to see: of
// their uses only tokens are counted.
import type { Knex } from 'knex';
import type { CallInsightsOut } from '#contract/evidence/agent-insights.ts';
import { countsOf, type Slices, within } from './window.ts';

type Models = CallInsightsOut['models'];

export async function modelUse(db: Knex, of: { agent_id: string; owner: string; name: string }, slices: Slices): Promise<Models> {
  const { months, days, hours, exact } = slices;
  const all = [...months, ...days, ...hours, ...exact];
  const one = `select case when u.user_id = :owner then 'owner' else 'other' end, u.model, 1::bigint, u.input_tokens::bigint, u.cached_input_tokens::bigint, u.output_tokens::bigint, coalesce(u.cost_micros, 0)::bigint, (u.cost_micros is null)::int::bigint
    from llm_usage u where u.agent_name = :name and u.ended_at is not null`;
  const parts = [
    ...countsOf('model_use_counts', 'relation, model, uses, input_tokens, cached_input_tokens, output_tokens, cost_micros, unpriced', slices),
    ...exact.map((range) => `${one} and u.counted and ${within('u.started_at', [range])}`),
    `${one} and not u.counted and ${within('u.started_at', all)}`,
  ];
  const { rows } = await db.raw<{ rows: (Omit<Models[number], 'cost_micros'> & { cost_micros: number; unpriced: number })[] }>(
    `with s (relation, model, uses, input_tokens, cached_input_tokens, output_tokens, cost_micros, unpriced) as (${parts.join(' union all ')})
     select model, sum(uses)::bigint as uses, sum(input_tokens)::bigint as input_tokens, sum(cached_input_tokens)::bigint as cached_input_tokens,
            sum(output_tokens)::bigint as output_tokens, coalesce(sum(cost_micros) filter (where relation = 'owner'), 0)::bigint as cost_micros,
            coalesce(sum(unpriced) filter (where relation = 'owner'), 0)::bigint as unpriced,
            coalesce(sum(uses) filter (where relation = 'other'), 0)::bigint as paid_by_callers
     from s group by model order by 2 desc, 1`,
    of,
  );
  return rows.map(({ unpriced, cost_micros, ...row }) => ({ ...row, cost_micros: unpriced > 0 ? null : cost_micros }));
}

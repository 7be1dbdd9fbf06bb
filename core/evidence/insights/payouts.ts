// What an agent earned. A receipt is one call that the platform sealed; it qualifies where another account
// called and the call went well.
import { NO_PRICE, type PayoutInsightsOut } from '#contract/evidence/agent-insights.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { countedTo, endsOf, facet } from './calls.ts';
import { amountIn, type Earned, earnedRows, type Priced, pricedRows } from './earned.ts';
import { iso, slicesOf, windowOf } from './window.ts';

const RULE = 'A receipt qualifies when the platform sealed it, the call ended ok, and an account other than the owner called.';

/** @throws NotFound agent_not_found; BadRequest bad_window */
export async function payoutInsights(ctx: Ctx, i: { name: string; from?: string | undefined; to?: string | undefined }): Promise<PayoutInsightsOut> {
  const agent = await agentFor(ctx.db, ctx.actor, 'insights.read', i.name);
  const window = windowOf({ ...i, bucket: 'month' }, ctx.clock(), 365);
  const slices = slicesOf(window);
  const ends = endsOf(window, slices, await countedTo(ctx.db, agent.agent_id));
  const { rows } = await ctx.db.raw<{
    rows: {
      months: { month: string; skill: string; receipts: number }[];
      counts: Counts;
      earned: Earned[];
      priced: Priced[];
      seq: number | null;
      head_sha256: string | null;
    }[];
  }>(
    `with ${ends}, e as materialized (select * from ${facet('earned', slices)})
     select (select coalesce(json_agg(t), '[]') from (
              select to_char(at at time zone 'UTC', 'YYYY-MM') as month, word as skill, sum(calls)::bigint as receipts
              from e where relation = 'other' and status = 'ok' group by 1, 2 order by 1 desc, 3 desc, 2
            ) t) as months,
            (select row_to_json(t) from (
              select coalesce(sum(calls) filter (where relation = 'other' and status = 'ok'), 0)::bigint as qualifying,
                     coalesce(sum(calls) filter (where relation = 'owner'), 0)::bigint as by_owner,
                     coalesce(sum(calls) filter (where relation = 'none'), 0)::bigint as without_account,
                     coalesce(sum(calls) filter (where relation = 'other' and status <> 'ok'), 0)::bigint as not_ok
              from e
            ) t) as counts,
            (select coalesce(json_agg(t), '[]') from (${earnedRows(window, slices)}) t(month, skill, amount)) as earned,
            (select coalesce(json_agg(t), '[]') from (${pricedRows(window)}) t) as priced,
            (select seq from receipt_chains where agent_id = :agent_id) as seq, (select head_sha256 from receipt_chains where agent_id = :agent_id) as head_sha256`,
    { agent_id: agent.agent_id, owner: agent.owner_id },
  );
  const [found] = rows;
  if (!found) throw new Error('a statement without a row');
  const { qualifying, ...not_qualifying } = found.counts;
  const { earned, priced } = found;
  const unpriced = earned.length === 0 && priced.length === 0;
  return {
    agent: agent.name,
    from: iso(window.from),
    to: iso(window.to),
    rule: RULE,
    qualifying,
    not_qualifying,
    months: found.months.map((month) => ({ ...month, amount_micros: amountIn(month, earned, priced) })),
    amount_micros: unpriced ? null : earned.reduce((sum, { amount }) => sum + amount, 0),
    unpriced: unpriced ? NO_PRICE : null,
    currency: 'usd',
    counted_to_seq: found.seq ?? 0,
    head_sha256: found.head_sha256,
  };
}

interface Counts {
  qualifying: number;
  by_owner: number;
  without_account: number;
  not_ok: number;
}

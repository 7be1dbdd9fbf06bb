// What all accounts used, for operators: sums, and nothing that says who used what.
import type { z } from 'zod';
import type { BillingMetricsOut, BillingMetricsQuery } from '#contract/platform/billing.ts';
import type { LlmUsageTotals } from '#contract/money/llm-usage.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { periodOf, sums } from '../../money/llm/usage.ts';
import { moneyMetrics } from './money-metrics.ts';

type Sums = z.infer<typeof LlmUsageTotals>;

/** @throws Invalid for a period that is none, or too long */
export async function billingMetrics(ctx: Ctx, i: z.infer<typeof BillingMetricsQuery>): Promise<z.infer<typeof BillingMetricsOut>> {
  requireOperator(ctx, 'billing.metrics');
  const { db } = ctx;
  const period = periodOf(i, ctx.clock());
  const uses = () => db('llm_usage').whereBetween('day', [period.from, period.to]);
  const [[models], days, [funded], [open]] = await Promise.all([
    uses().select<(Sums & { accounts: number })[]>(...sums(db), db.raw('count(distinct user_id)::int as accounts')),
    uses()
      .select<{ day: string; calls: number; cost_micros: number }[]>(
        'day',
        db.raw('count(*)::int as calls'),
        db.raw('coalesce(sum(cost_micros), 0)::bigint as cost_micros'),
      )
      .groupBy('day')
      .orderBy('day'),
    db('account_access').select<{ calls: number; accounts: number; agents: number }[]>(
      db.raw('coalesce(sum(used), 0)::bigint as calls, count(distinct user_id)::int as accounts, count(distinct agent_id)::int as agents'),
    ),
    db('billing_overrides')
      .whereNotNull('funded_calls_per_agent')
      .whereRaw('(expires_at is null or expires_at > ?)', [new Date(ctx.clock())])
      .select<{ count: number }[]>(db.raw('count(*)::int as count')),
  ]);
  if (!models || !funded || !open) throw new Error('sums are one row each');
  const money = await moneyMetrics(ctx, period);
  return { ...period, models, days, funded, overrides_in_force: open.count, ...money };
}

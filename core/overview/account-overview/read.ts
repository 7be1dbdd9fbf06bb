// The figures of an account's home page: sums of its agents' calls by hour or day, the calls that are not
// counted yet, and what the account spent.
import type { Knex } from 'knex';
import type { AccountOverviewOut, OverviewWindow } from '#contract/overview/account-overview.ts';
import { type Histogram, mergeHistograms, percentileOf } from '#contract/evidence/latency.ts';
import { BUCKET } from '../../evidence/insights/count-calls.ts';
import { HISTOGRAM } from '../../evidence/insights/facets.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';

const HOUR_MS = 3_600_000;
const WINDOWS: Record<OverviewWindow, { bucket: AccountOverviewOut['bucket']; ms: number; buckets: number }> = {
  '24h': { bucket: 'hour', ms: HOUR_MS, buckets: 24 },
  '7d': { bucket: 'day', ms: 24 * HOUR_MS, buckets: 7 },
  '30d': { bucket: 'day', ms: 24 * HOUR_MS, buckets: 30 },
};

interface Counted {
  at: Date;
  status: string;
  calls: number;
  histogram: Histogram;
}

export async function accountOverview(ctx: Ctx, i: { window: OverviewWindow }): Promise<AccountOverviewOut> {
  const { user_id } = requireUser(ctx, 'control_room.read');
  const { bucket, ms, buckets } = WINDOWS[i.window];
  const first = (Math.floor(ctx.clock() / ms) - buckets + 1) * ms;
  const of = { owner: user_id, bucket, since: new Date(first) };
  const [counted, spent] = await Promise.all([callsOf(ctx.db, of), spentOf(ctx.db, of)]);
  const all = Array.from({ length: buckets }, (_, index) => first + index * ms);
  return {
    window: i.window,
    from: new Date(first).toISOString(),
    bucket,
    totals: figuresOf(
      counted,
      spent.reduce((sum, { micros }) => sum + micros, 0),
    ),
    series: all.map((at) => ({
      at: new Date(at).toISOString(),
      ...figuresOf(
        counted.filter((one) => one.at.getTime() === at),
        spent.find((one) => one.at.getTime() === at)?.micros ?? 0,
      ),
    })),
  };
}

interface Of {
  owner: string;
  bucket: string;
  since: Date;
}

/** As insights of one agent count them: core/evidence/insights/calls.ts. */
async function callsOf(db: Knex, of: Of): Promise<Counted[]> {
  const { rows } = await db.raw<{ rows: Counted[] }>(
    `with mine as materialized (
       select a.agent_id, coalesce(p.seq, 0) as seq from agents a left join call_count_places p using (agent_id) where a.owner_id = :owner and a.deleted_at is null
     ), unsummed as (
       select date_trunc(:bucket, r.created_at, 'UTC') as at, r.status, ${BUCKET} as bucket, count(*) as calls
       from mine m join receipts r on r.agent_id = m.agent_id and r.seq > m.seq where r.created_at >= :since group by 1, 2, 3
     )
     select s.since as at, s.status, s.calls, s.histogram from mine m
       join call_sums s on s.agent_id = m.agent_id and s.facet = 'all' and s.grain = :bucket and s.since >= :since
     union all
     select at, status, sum(calls)::bigint, ${HISTOGRAM} from unsummed group by at, status`,
    { ...of },
  );
  return rows;
}

async function spentOf(db: Knex, of: Of): Promise<{ at: Date; micros: number }[]> {
  const { rows } = await db.raw<{ rows: { at: Date; micros: number }[] }>(
    `select date_trunc(:bucket, at, 'UTC') as at, coalesce(sum(micros), 0)::bigint as micros from (
       select started_at as at, cost_micros as micros from llm_usage where user_id = :owner and started_at >= :since
       union all
       select started_at, amount_micros from charges where payer_id = :owner and state <> 'released' and started_at >= :since
     ) spent group by 1`,
    { ...of },
  );
  return rows;
}

function figuresOf(counted: readonly Counted[], cost_micros: number): AccountOverviewOut['totals'] {
  const histogram = mergeHistograms(counted.map((one) => one.histogram));
  const sum = (some: readonly Counted[]): number => some.reduce((calls, one) => calls + one.calls, 0);
  return {
    calls: sum(counted),
    failed: sum(counted.filter(({ status }) => status === 'error')),
    p50_ms: percentileOf(histogram, 50),
    p95_ms: percentileOf(histogram, 95),
    cost_micros,
  };
}

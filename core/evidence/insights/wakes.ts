// How often an agent's machine slept and how long it took to wake, over the whole hours that a window
// touches.
import type { Knex } from 'knex';
import type { CallInsightsOut } from '#contract/evidence/agent-insights.ts';
import { type Histogram, percentileOf } from '#contract/evidence/latency.ts';
import { SLEEP_TIERS } from '#contract/states.ts';
import { countsOf, slicesOf, type Window } from './window.ts';

const HOUR = 3_600_000;
const upTo = (at: number): number => Math.ceil(at / HOUR) * HOUR;
const downTo = (at: number): number => Math.floor(at / HOUR) * HOUR;

export async function wakes(db: Knex, agent_id: string, window: Window): Promise<CallInsightsOut['sleep']> {
  const whole = slicesOf({ ...window, from: downTo(window.from), to: upTo(window.to) });
  const parts = countsOf('wake_counts', 'tier, bucket, wakes, slept_ms', whole);
  if (parts.length === 0) return [];
  const { rows } = await db.raw<{ rows: { tier: string; wakes: number; slept_ms: number; histogram: Histogram }[] }>(
    `select tier, sum(wakes)::bigint as wakes, sum(slept_ms)::bigint as slept_ms, json_object_agg(bucket, wakes) as histogram
     from (select tier, bucket, sum(wakes)::bigint as wakes, sum(slept_ms) as slept_ms from (${parts.join(' union all ')}) s group by 1, 2) b group by tier`,
    { agent_id },
  );
  return SLEEP_TIERS.flatMap((tier) => {
    const row = rows.find((one) => one.tier === tier);
    if (!row) return [];
    const [wake_p50_ms, wake_p95_ms] = [percentileOf(row.histogram, 50), percentileOf(row.histogram, 95)];
    return [{ tier, wakes: row.wakes, wake_p50_ms, wake_p95_ms, slept_seconds: Math.round(row.slept_ms / 1000) }];
  });
}

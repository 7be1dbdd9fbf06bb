// How an agent is used, for its owner: counted from its receipts.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant } from '../shared.ts';
import { CALLER_RELATIONS, SLEEP_TIERS } from '../states.ts';

export const BUCKETS = ['hour', 'day', 'month'] as const;
export const MAX_BUCKETS = 800;
export const GROUPINGS = ['skill', 'version', 'caller'] as const;
/** The most used ones are shown. */
export const MAX_GROUPS = 50;
export const MAX_CAUSES = 51;

const count = z.int().min(0);
const instant = z.iso.datetime({ offset: true });
const milliseconds = z.number().min(0).nullable();
const micros = z.int();

const latency = {
  p50_ms: milliseconds,
  p90_ms: milliseconds,
  p95_ms: milliseconds,
  p99_ms: milliseconds,
  mean_ms: milliseconds,
};
const calls = { calls: count, ok: count, failed: count, cancelled: count };

export const CallInsightsOut = z
  .strictObject({
    agent: z.string(),
    from: Instant,
    to: Instant,
    bucket: z.enum(BUCKETS),
    totals: z
      .strictObject({ ...calls, ...latency })
      .meta({ description: 'Durations are from the receipts, and include the time that a run waited for people. Percentiles are approximate (within 20 %).' }),
    failures: z
      .array(z.strictObject({ code: z.string(), calls: count }))
      .meta({ description: 'Failures by cause, most frequent first. "other": codes beyond the first 50 of an agent.' }),
    series: z
      .array(z.strictObject({ at: Instant, ...calls, p50_ms: milliseconds, p95_ms: milliseconds }))
      .meta({ description: 'Buckets in UTC in which there were calls; the first and the last may be cut by from and to.' }),
    by: z.enum(GROUPINGS).nullable(),
    groups: z.array(z.strictObject({ key: z.string(), ...calls, ...latency })).meta({ description: 'Most calls first, 50 at most; empty without by.' }),
    callers: z.record(z.enum(CALLER_RELATIONS), count).meta({ description: 'Calls by its owner, by other accounts, and by anonymous callers.' }),
    sleep: z
      .array(z.strictObject({ tier: z.enum(SLEEP_TIERS), wakes: count, wake_p50_ms: milliseconds, wake_p95_ms: milliseconds, slept_seconds: count }))
      .meta({ description: 'Wakes by how deep the machine slept. Empty for agents that run elsewhere.' }),
    models: z.array(
      z.strictObject({
        model: z.string(),
        uses: count,
        input_tokens: count,
        cached_input_tokens: count,
        output_tokens: count,
        cost_micros: micros.nullable().meta({ description: 'Micro-dollars on credentials of the owner; null: a price is not known.' }),
        paid_by_callers: count.meta({ description: 'Uses on credentials of others; their cost is theirs to see.' }),
      }),
    ),
    cost_micros: micros.nullable().meta({ description: 'On credentials of the owner; null: a price is not known.' }),
    earned_micros: micros.meta({ description: 'Micro-credits that the owner earned by charges of these calls, without what the platform keeps.' }),
    counted_to_seq: count.meta({ description: "The last receipt of the agent's chain that is in this." }),
  })
  .meta({ id: 'CallInsightsOut' });
export type CallInsightsOut = z.infer<typeof CallInsightsOut>;

export const NO_PRICE = 'no_price_set';

export const PayoutInsightsOut = z
  .strictObject({
    agent: z.string(),
    from: Instant,
    to: Instant,
    rule: z.string().meta({ description: 'The rule by which receipts qualify.' }),
    qualifying: count,
    not_qualifying: z.strictObject({ by_owner: count, without_account: count, not_ok: count }),
    months: z.array(
      z.strictObject({
        month: z.string().meta({ description: 'YYYY-MM, UTC.' }),
        skill: z.string(),
        receipts: count,
        amount_micros: micros
          .nullable()
          .meta({ description: 'Micro-credits that the owner earned, without what the platform keeps; null: the skill had no price then.' }),
      }),
    ),
    amount_micros: micros
      .nullable()
      .meta({ description: 'Sum of all months, and of skills that are counted together; null where it is unknown: unpriced states why.' }),
    unpriced: z
      .enum([NO_PRICE])
      .nullable()
      .meta({ description: 'no_price_set: no price of the agent was set for this time, so receipts are counted and no amount is made up.' }),
    currency: z.literal('usd'),
    counted_to_seq: count,
    head_sha256: z.string().nullable().meta({ description: "Hash of the last receipt of the agent's chain, to check the counts against." }),
  })
  .meta({ id: 'PayoutInsightsOut' });
export type PayoutInsightsOut = z.infer<typeof PayoutInsightsOut>;

const window = z.object({
  from: instant.optional().meta({ description: 'RFC 3339, included.' }),
  to: instant.optional().meta({ description: 'RFC 3339, excluded. Default: now.' }),
});
const common = { scope: 'authenticated', params: AgentParams, errors: [400, 401, 403, 404] } as const;

export const agentInsights = group({
  calls: {
    ...common,
    at: 'GET /v1/agents/{name}/insights/calls',
    summary: 'Calls of your agent, failures by cause, latency, sleep and wake times, use of models and cost, over any window (default: seven days)',
    query: window.extend({
      bucket: z.enum(BUCKETS).optional().meta({ description: 'Unit of the series. Default: hours up to three days, days up to 92 days, else months.' }),
      by: z.enum(GROUPINGS).optional(),
    }),
    out: CallInsightsOut,
  },
  payouts: {
    ...common,
    at: 'GET /v1/agents/{name}/insights/payouts',
    summary: 'Read the earnings of your agent from its signed receipts, by month and skill (default: twelve months)',
    query: window,
    out: PayoutInsightsOut,
  },
});

// What the account's language models were used for, and what that cost.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';

const sums = {
  calls: z.int().min(0),
  input_tokens: z.int().min(0),
  cached_input_tokens: z.int().min(0).meta({ description: 'Input tokens that were read from the cache.' }),
  output_tokens: z.int().min(0),
  cost_micros: z.int().min(0).meta({ description: 'Micro-dollars, of the calls that have a price.' }),
  unpriced_calls: z.int().min(0).meta({ description: 'Calls without a known price: not in cost_micros.' }),
  estimated_calls: z.int().min(0).meta({ description: 'Calls that the provider did not count: counted from their texts.' }),
};

export const LlmUsageTotals = z.strictObject(sums).meta({ id: 'LlmUsageTotals' });
export const LlmUsageGroup = z.strictObject({ key: z.string().nullable(), ...sums }).meta({ id: 'LlmUsageGroup' });
export type LlmUsageGroup = z.infer<typeof LlmUsageGroup>;

export const LlmUse = z
  .strictObject({
    usage_id: z.string(),
    credential: z.string(),
    provider: z.string(),
    model: z.string(),
    purpose: z.string().meta({ description: 'What for: chat, probe, …' }),
    agent: z.string().nullable(),
    person: z.string().nullable().meta({ description: 'User id of who called the agent.' }),
    run_id: z.string().nullable(),
    thread_id: z.string().nullable(),
    state: z
      .enum(['running', 'ok', 'failed', 'cancelled', 'lost'])
      .meta({ description: 'lost: the platform broke down meanwhile; all that was reserved is counted.' }),
    error_code: z.string().nullable(),
    input_tokens: z.int().min(0),
    cached_input_tokens: z.int().min(0),
    output_tokens: z.int().min(0),
    estimated: z.boolean(),
    cost_micros: z.int().min(0).nullable().meta({ description: 'null: unpriced, or still running.' }),
    started_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'LlmUse' });
export type LlmUse = z.infer<typeof LlmUse>;

const day = z.iso.date('is not a day: 2026-11-22').meta({ examples: ['2026-11-01'] });
export const LlmUsageGrouping = z.enum(['day', 'credential', 'agent', 'model', 'purpose', 'person', 'run']);

/** Groups that are shown: the ones that cost most. */
export const MAX_USAGE_GROUPS = 400;
/** Days between from and to. */
export const MAX_USAGE_DAYS = 366;

export const LlmUsageOut = z
  .strictObject({
    from: z.string(),
    to: z.string(),
    totals: LlmUsageTotals,
    group_by: LlmUsageGrouping,
    groups: z.array(LlmUsageGroup).meta({ description: `Days in order; otherwise the costliest first, at most ${MAX_USAGE_GROUPS}.` }),
    items: z.array(LlmUse),
    next_cursor: nextCursor,
  })
  .meta({ id: 'LlmUsageOut' });

export const llmUsage = group({
  list: {
    at: 'GET /v1/me/llm-usage',
    summary: 'Uses of language models in a period, newest first, with their totals',
    scope: 'account',
    query: pageQuery(50, 200).extend({
      from: day.optional().meta({ description: "First day (UTC); default: the month's first." }),
      to: day.optional().meta({ description: `Last day, itself included; default: today. At most ${MAX_USAGE_DAYS} days after from.` }),
      group_by: LlmUsageGrouping.default('day'),
      credential: z.string().max(64).optional(),
      model: z.string().max(200).optional(),
      purpose: z.string().max(64).optional(),
      agent: z.string().max(128).optional(),
    }),
    out: LlmUsageOut,
    errors: [400, 401, 403],
  },
});

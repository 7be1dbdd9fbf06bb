// The figures of an account's home page.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { Instant } from '../shared.ts';

const OVERVIEW_WINDOWS = ['24h', '7d', '30d'] as const;
export type OverviewWindow = (typeof OVERVIEW_WINDOWS)[number];

const count = z.int().min(0);
const figures = {
  calls: count.meta({ description: "Calls of the account's agents, whoever called them." }),
  failed: count,
  p50_ms: z.number().min(0).nullable().meta({ description: 'Approximate (within 20 %). Null: nothing was called.' }),
  p95_ms: z.number().min(0).nullable(),
  cost_micros: count.meta({ description: 'Micro-dollars that the account spent on models, and on calls of skills with a price.' }),
};

export const AccountOverviewOut = z
  .strictObject({
    window: z.enum(OVERVIEW_WINDOWS),
    from: Instant,
    bucket: z.enum(['hour', 'day']),
    totals: z.strictObject(figures),
    series: z.array(z.strictObject({ at: Instant, ...figures })).meta({ description: 'Every bucket of the window in UTC, also those without a call.' }),
  })
  .meta({ id: 'AccountOverviewOut' });
export type AccountOverviewOut = z.infer<typeof AccountOverviewOut>;

export const accountOverview = svcGroup({
  get: {
    at: 'GET /v1/me/overview',
    summary: "Calls of the account's agents, failures, latency and spending over a day, a week or a month",
    scope: 'account',
    query: z.object({ window: z.enum(OVERVIEW_WINDOWS).default('24h') }),
    out: AccountOverviewOut,
    errors: [401, 403],
  },
});

import type { payoutsAdmin } from '#contract/platform/payouts.ts';
import { operatorPayoutMetrics } from '#core/money/payout/metrics.ts';
import { listOwed } from '#core/money/payout/owed.ts';
import { startPayouts } from '#core/money/payout/run/start.ts';
import type { Handlers } from '../../http/handlers.ts';

export const payoutsAdminRoutes: Handlers<typeof payoutsAdmin> = {
  metrics: (ctx) => operatorPayoutMetrics(ctx),
  owed: (ctx, { query }) => listOwed(ctx, query),
  settle: (ctx, { body }) => startPayouts(ctx, body),
};

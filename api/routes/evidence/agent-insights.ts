import type { agentInsights } from '#contract/evidence/agent-insights.ts';
import { callInsights } from '#core/evidence/insights/calls.ts';
import { payoutInsights } from '#core/evidence/insights/payouts.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentInsightRoutes: Handlers<typeof agentInsights> = {
  calls: (ctx, { params, query }) => callInsights(ctx, { ...params, ...query }),
  payouts: (ctx, { params, query }) => payoutInsights(ctx, { ...params, ...query }),
};

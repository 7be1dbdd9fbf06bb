import type { dagRuns } from '#contract/conversation/dag-runs.ts';
import { getPlan, listPlans } from '#core/conversation/plan/read.ts';
import type { Handlers } from '../../http/handlers.ts';

export const dagRunRoutes: Handlers<typeof dagRuns> = {
  list: (ctx, { query }) => listPlans(ctx, query),
  get: (ctx, { params }) => getPlan(ctx, params),
};

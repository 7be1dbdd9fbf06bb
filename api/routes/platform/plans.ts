import type { plans } from '#contract/platform/plans.ts';
import { listBillingPlans, putPlan } from '#core/platform/billing/plans.ts';
import type { Handlers } from '../../http/handlers.ts';

export const planRoutes: Handlers<typeof plans> = {
  list: (ctx) => listBillingPlans(ctx),
  put: (ctx, { params, body }) => putPlan(ctx, { ...params, ...body }),
};

import type { accountOverview } from '#contract/overview/account-overview.ts';
import { accountOverview as readAccountOverview } from '#core/overview/account-overview/read.ts';
import type { Handlers } from '../../http/handlers.ts';

export const accountOverviewRoutes: Handlers<typeof accountOverview> = {
  get: (ctx, { query }) => readAccountOverview(ctx, query),
};

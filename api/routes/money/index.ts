// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { billingRoutes } from './billing.ts';
import { bountyRoutes } from './bounties.ts';
import { creditRoutes } from './credits.ts';
import { llmCredRoutes } from './llm-creds.ts';
import { llmUsageRoutes } from './llm-usage.ts';
import { payoutRoutes } from './payouts.ts';

export const moneyArea = {
  billing: billingRoutes,
  bounties: bountyRoutes,
  credits: creditRoutes,
  llmCreds: llmCredRoutes,
  llmUsage: llmUsageRoutes,
  payouts: payoutRoutes,
} satisfies AreaHandlers;

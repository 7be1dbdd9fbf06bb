// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { billingRoutes } from './billing.ts';
import { bountyRoutes } from './bounties.ts';
import { chargeRoutes } from './charges.ts';
import { creditRoutes, topUpRoutes } from './credits.ts';
import { llmCredRoutes } from './llm-creds.ts';
import { llmUsageRoutes } from './llm-usage.ts';
import { payoutRoutes, payoutStatementRoutes } from './payouts.ts';
import { priceRoutes } from './prices.ts';
import { testMoneyRoutes } from './test-money.ts';

export const moneyArea = {
  billing: billingRoutes,
  bounties: bountyRoutes,
  charges: chargeRoutes,
  credits: { ...creditRoutes, ...topUpRoutes },
  llmCreds: llmCredRoutes,
  llmUsage: llmUsageRoutes,
  payouts: { ...payoutRoutes, ...payoutStatementRoutes },
  prices: priceRoutes,
  testMoney: testMoneyRoutes,
} satisfies AreaHandlers;

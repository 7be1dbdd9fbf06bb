import type { credits, topUps } from '#contract/money/credits.ts';
import { checkOutCredits } from '#core/money/credits/check-out.ts';
import { listTopUps } from '#core/money/credits/top-ups.ts';
import { getWallet } from '#core/money/credits/wallet.ts';
import type { Handlers } from '../../http/handlers.ts';

export const creditRoutes: Handlers<typeof credits> = {
  wallet: (ctx, { query }) => getWallet(ctx, query),
  checkout: (ctx, { body }) => checkOutCredits(ctx, body),
};

export const topUpRoutes: Handlers<typeof topUps> = { topUps: (ctx, { query }) => listTopUps(ctx, query) };

import type { payouts, payoutStatements } from '#contract/money/payouts.ts';
import { getPayoutAccount, openPayoutAccount } from '#core/money/payout/account/open.ts';
import { earnings } from '#core/money/payout/earnings.ts';
import { payoutMetrics } from '#core/money/payout/metrics.ts';
import { listPayoutRuns } from '#core/money/payout/run/list.ts';
import { startPayouts } from '#core/money/payout/run/start.ts';
import { readReceipts, readStatement } from '#core/money/payout/statement/read.ts';
import type { Handlers } from '../../http/handlers.ts';

export const payoutRoutes: Handlers<typeof payouts> = {
  account: (ctx) => getPayoutAccount(ctx),
  openAccount: (ctx, { body }) => openPayoutAccount(ctx, body),
  earnings: (ctx) => earnings(ctx),
  metrics: (ctx) => payoutMetrics(ctx),
  runs: (ctx, { query }) => listPayoutRuns(ctx, query),
  settle: (ctx, { body }) => startPayouts(ctx, body),
};

export const payoutStatementRoutes: Handlers<typeof payoutStatements> = {
  statement: (ctx, { params }) => readStatement(ctx, params),
  receipts: (ctx, { params }) => readReceipts(ctx, params),
};

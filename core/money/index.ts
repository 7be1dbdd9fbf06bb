// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { sweepCharges } from './charge/sweep.ts';
import { dun, resendDunning } from './billing/dunning.ts';
import { endSubscriptions } from './billing/end.ts';
import { lookAtCheckouts } from './billing/look.ts';
import { writeUsageInvoices } from './billing/usage-invoices.ts';
import { collectOwed } from './credits/recover.ts';
import { requireSoundLedger } from './ledger/audit-ledger.ts';
import { releaseExpired } from './ledger/hold.ts';
import { sweepLimits } from './llm/limits.ts';
import { sweepUses } from './llm/meter.ts';
import { advancePayouts } from './payout/advance.ts';
import { sendNotices } from './payout/notices.ts';
import { settleNightly } from './payout/run/start.ts';
import { deliverTestEvents, sweepTestMoney, tickTestMoney } from './processor/deliver.ts';

export const moneyLoops: readonly AreaLoop[] = [
  { name: 'models', everyMs: 300_000, run: (ctx) => sweepUses(ctx) },
  { name: 'model-limits', everyMs: 3_600_000, run: (ctx) => sweepLimits(ctx) },
  { name: 'charges', everyMs: 60_000, run: (ctx) => sweepCharges(ctx) },
  { name: 'payouts', everyMs: 30_000, run: (ctx) => advancePayouts(ctx) },
  // One run for each day, whenever the first worker of it comes here.
  { name: 'payout runs', everyMs: 3_600_000, run: (ctx) => settleNightly(ctx) },
  { name: 'payout notices', everyMs: 60_000, run: (ctx) => sendNotices(ctx) },
  { name: 'expired holds', everyMs: 60_000, run: (ctx) => releaseExpired(ctx) },
  { name: 'owed credits', everyMs: 60_000, run: (ctx) => collectOwed(ctx) },
  { name: 'checkouts', everyMs: 60_000, run: (ctx) => lookAtCheckouts(ctx) },
  { name: 'subscription ends', everyMs: 60_000, run: (ctx) => endSubscriptions(ctx) },
  { name: 'unpaid plans', everyMs: 600_000, run: (ctx) => dun(ctx).then(() => resendDunning(ctx)) },
  { name: 'usage invoices', everyMs: 3_600_000, run: (ctx) => writeUsageInvoices(ctx) },
  { name: 'test money events', everyMs: 5_000, run: (ctx) => deliverTestEvents(ctx) },
  { name: 'test money months', everyMs: 60_000, run: (ctx) => tickTestMoney(ctx) },
  { name: 'test money records', everyMs: 86_400_000, run: (ctx) => sweepTestMoney(ctx) },
  { name: 'ledger audit', everyMs: 86_400_000, run: (ctx) => requireSoundLedger(ctx) },
];

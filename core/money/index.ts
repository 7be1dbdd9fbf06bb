// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { sweepCharges } from './charge/sweep.ts';
import { requireSoundLedger } from './ledger/audit-ledger.ts';
import { releaseExpired } from './ledger/hold.ts';
import { sweepLimits } from './llm/limits.ts';
import { sweepUses } from './llm/meter.ts';
import { advancePayouts } from './payout/advance.ts';
import { settleNightly } from './payout/run/start.ts';

export const moneyLoops: readonly AreaLoop[] = [
  { name: 'models', everyMs: 300_000, run: (ctx) => sweepUses(ctx) },
  { name: 'model-limits', everyMs: 3_600_000, run: (ctx) => sweepLimits(ctx) },
  { name: 'charges', everyMs: 60_000, run: (ctx) => sweepCharges(ctx) },
  { name: 'payouts', everyMs: 30_000, run: (ctx) => advancePayouts(ctx) },
  // One run for each day, whenever the first worker of it comes here.
  { name: 'payout runs', everyMs: 3_600_000, run: (ctx) => settleNightly(ctx) },
  { name: 'expired holds', everyMs: 60_000, run: (ctx) => releaseExpired(ctx) },
  { name: 'ledger audit', everyMs: 86_400_000, run: (ctx) => requireSoundLedger(ctx) },
];

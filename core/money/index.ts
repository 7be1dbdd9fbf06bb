// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { sweepLimits } from './llm/limits.ts';
import { sweepUses } from './llm/meter.ts';

export const moneyLoops: readonly AreaLoop[] = [
  { name: 'models', everyMs: 300_000, run: (ctx) => sweepUses(ctx) },
  { name: 'model-limits', everyMs: 3_600_000, run: (ctx) => sweepLimits(ctx) },
];

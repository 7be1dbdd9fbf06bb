// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { countCalls } from './insights/count-calls.ts';
import { countEarned } from './insights/count-earned.ts';
import { countModelUse } from './insights/count-model-use.ts';
import { countWakes } from './insights/count-wakes.ts';

export const evidenceLoops: readonly AreaLoop[] = [
  { name: 'call counts', everyMs: 10_000, run: (ctx) => countCalls(ctx) },
  { name: 'earned sums', everyMs: 10_000, run: (ctx) => countEarned(ctx) },
  { name: 'model counts', everyMs: 10_000, run: (ctx) => countModelUse(ctx) },
  { name: 'wake counts', everyMs: 5_000, run: (ctx, { node }) => countWakes(ctx, node) },
];

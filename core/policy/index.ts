// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { sweepCounts } from './count.ts';

export const policyLoops: readonly AreaLoop[] = [{ name: 'policy-counts', everyMs: 3_600_000, run: (ctx) => sweepCounts(ctx) }];

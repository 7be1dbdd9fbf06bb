// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { retainDecisions } from './cedar/decisions.ts';
import { sweepCounts } from './count.ts';

export { onBrokenRules } from './cedar/health.ts';
export { ruleMetrics } from './cedar/metrics.ts';

export const policyLoops: readonly AreaLoop[] = [
  { name: 'policy-counts', everyMs: 3_600_000, run: (ctx) => sweepCounts(ctx) },
  { name: 'policy decisions', everyMs: 3_600_000, run: (ctx) => retainDecisions(ctx) },
];

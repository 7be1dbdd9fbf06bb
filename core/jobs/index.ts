// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { type Abandon, reconcileJobs } from './reconcile.ts';
import { ensureRetention } from './retention/ensure.ts';

export { startListener } from './wakeups.ts';

/** `abandon`: how each kind of job ends whose workflow is gone; from the areas that know the kinds. */
export function jobLoops(abandon: Readonly<Record<string, Abandon>>): readonly AreaLoop[] {
  return [
    { name: 'reconcile', everyMs: 30_000, run: (ctx) => reconcileJobs(ctx, abandon) },
    { name: 'retention', everyMs: 3_600_000, run: (ctx) => ensureRetention(ctx) },
  ];
}

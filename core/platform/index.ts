// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import type { Abandon } from '../jobs/reconcile.ts';
import { expire } from './housekeeping/expire.ts';
import { endPurge } from './purge/steps.ts';

export const platformAbandons: Record<string, Abandon> = { purge: (ctx, { job_id }, fault) => endPurge(ctx, job_id, fault) };

export { type Measured, measure } from './housekeeping/measure.ts';
export { wantedBuild } from './worker-build/current.ts';

export const platformLoops: readonly AreaLoop[] = [{ name: 'expire', everyMs: 600_000, run: (ctx) => expire(ctx.db, ctx.clock()) }];

// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { ownerOfJob } from '../jobs/long-work.ts';
import type { WorkflowOwners } from '../kernel/lost-workflow.ts';
import { expire } from './housekeeping/expire.ts';
import { endPurge } from './purge/steps.ts';

/** By type of workflow: what becomes of its work when it is lost. */
export const platformOwners = { purgeAccounts: ownerOfJob(endPurge) } satisfies WorkflowOwners;

export { backupMetrics } from './housekeeping/backup-metrics.ts';
export { type Measured, measure } from './housekeeping/measure.ts';
export { requireOwnKey } from './installation/key.ts';
export { wantedBuild } from './worker-build/current.ts';

export const platformLoops: readonly AreaLoop[] = [{ name: 'expire', everyMs: 600_000, run: (ctx) => expire(ctx.db, ctx.clock()) }];

// What processes run of this area.
import { ownerOfJob } from '../jobs/long-work.ts';
import type { AreaLoop } from '../kernel/loop.ts';
import { startAgain, type WorkflowOwners } from '../kernel/lost-workflow.ts';
import { abandonPlan } from './plan/cancel.ts';
import { ownerOfFiring } from './schedule/lost.ts';
import { reconcileSchedules } from './schedule/reconcile.ts';
import { syncSchedules } from './schedule/sync.ts';

export const conversationLoops: readonly AreaLoop[] = [
  { name: 'schedules', everyMs: 2_000, run: (ctx) => syncSchedules(ctx) },
  { name: 'calendar', everyMs: 120_000, run: (ctx) => reconcileSchedules(ctx) },
];

/** By type of workflow: what becomes of its work when it is lost. */
export const conversationOwners = {
  dagRun: ownerOfJob(abandonPlan),
  scheduledRun: ownerOfFiring,
  deliverMail: startAgain,
  sendMail: startAgain,
} satisfies WorkflowOwners;

// What processes run of this area.
import { ownerOfJob } from '../jobs/abandon.ts';
import type { AreaLoop } from '../kernel/loop.ts';
import { startAgain, type WorkflowOwners } from '../kernel/lost-workflow.ts';
import { advanceEvaluations } from './evaluation/advance.ts';
import { judgeRuns } from './evaluation/judge.ts';
import { retainScores, scoreRuns } from './evaluation/score-runs.ts';
import { sweepLostCalls } from './call/lost-calls.ts';
import { abandonPlan } from './plan/cancel.ts';
import { endOrphanedRun } from './durable/orphaned.ts';
import { abandonProof } from './proof/advance.ts';
import { sweepRuns } from './call/sweep-runs.ts';
import { wakeStrandedRuns } from './durable/wake-stranded.ts';
import { sweepSandboxes } from './sandbox/remove.ts';
import { ownerOfFiring } from './schedule/lost.ts';
import { reconcileSchedules } from './schedule/reconcile.ts';
import { syncSchedules } from './schedule/sync.ts';
import { deliverPushes } from './task/deliver-pushes.ts';
import { sweepTasks } from './task/sweep.ts';
import { exportTraces } from './trace/export.ts';
import { retainSpans } from './trace/retain.ts';
import { mailWaits } from './inbox/mail-waits.ts';
import { ownerOfWait } from './wait/lost.ts';

export { startHeartbeat } from './call/open-calls.ts';
export { stopDriving } from './durable/drive-at-once.ts';

export const runLoops: readonly AreaLoop[] = [
  { name: 'mail of waits', everyMs: 15_000, run: (ctx) => mailWaits(ctx) },
  { name: 'calls', everyMs: 15_000, run: (ctx) => sweepLostCalls(ctx) },
  { name: 'runs', everyMs: 60_000, run: (ctx) => sweepRuns(ctx) },
  { name: 'stranded runs', everyMs: 60_000, run: (ctx) => wakeStrandedRuns(ctx) },
  { name: 'protocol tasks', everyMs: 15_000, run: (ctx) => sweepTasks(ctx) },
  { name: 'push notifications', everyMs: 1_000, run: (ctx) => deliverPushes(ctx) },
  { name: 'schedules', everyMs: 2_000, run: (ctx) => syncSchedules(ctx) },
  { name: 'calendar', everyMs: 120_000, run: (ctx) => reconcileSchedules(ctx) },
  { name: 'trace export', everyMs: 2_000, run: (ctx) => exportTraces(ctx) },
  { name: 'scores', everyMs: 5_000, run: (ctx) => scoreRuns(ctx) },
  { name: 'kept scores', everyMs: 3_600_000, run: (ctx) => retainScores(ctx) },
  { name: 'judges', everyMs: 5_000, run: (ctx) => judgeRuns(ctx) },
  { name: 'evaluations', everyMs: 1_000, run: (ctx) => advanceEvaluations(ctx) },
  { name: 'spans', everyMs: 3_600_000, run: (ctx) => retainSpans(ctx) },
  { name: 'sandboxes', everyMs: 300_000, run: (ctx) => sweepSandboxes(ctx) },
];

/** By type of workflow: what becomes of its work when it is lost. */
export const runOwners = {
  runSkill: ownerOfJob(endOrphanedRun),
  dagRun: ownerOfJob(abandonPlan),
  proveSkill: ownerOfJob(abandonProof),
  humanWait: ownerOfWait,
  scheduledRun: ownerOfFiring,
  deliverMail: startAgain,
  sendMail: startAgain,
} satisfies WorkflowOwners;

// What processes run of this area.
import { ownerOfJob } from '../jobs/long-work.ts';
import type { AreaLoop } from '../kernel/loop.ts';
import type { WorkflowOwners } from '../kernel/lost-workflow.ts';
import { sweepLostCalls } from './call/lost-calls.ts';
import { sweepRuns } from './call/sweep-runs.ts';
import { storeDueLogs } from './content/log.ts';
import { sweepContents } from './content/sweep.ts';
import { endOrphanedRun } from './durable/orphaned.ts';
import { wakeStrandedRuns } from './durable/wake-stranded.ts';
import { sweepSandboxes } from './sandbox/remove.ts';
import { deliverPushes } from './task/deliver-pushes.ts';
import { sweepTasks } from './task/sweep.ts';
import { exportTraces } from './trace/export.ts';
import { retainSpans } from './trace/retain.ts';

export { startHeartbeat } from './call/open-calls.ts';
export { stopDriving } from './durable/drive-at-once.ts';

export const runLoops: readonly AreaLoop[] = [
  { name: 'calls', everyMs: 15_000, run: (ctx) => sweepLostCalls(ctx) },
  { name: 'runs', everyMs: 60_000, run: (ctx) => sweepRuns(ctx) },
  { name: 'stranded runs', everyMs: 60_000, run: (ctx) => wakeStrandedRuns(ctx) },
  { name: 'contents of calls', everyMs: 60_000, run: (ctx) => sweepContents(ctx) },
  { name: 'logs of failed runs', everyMs: 5_000, run: (ctx) => storeDueLogs(ctx) },
  { name: 'protocol tasks', everyMs: 15_000, run: (ctx) => sweepTasks(ctx) },
  { name: 'push notifications', everyMs: 1_000, run: (ctx) => deliverPushes(ctx) },
  { name: 'trace export', everyMs: 2_000, run: (ctx) => exportTraces(ctx) },
  { name: 'spans', everyMs: 3_600_000, run: (ctx) => retainSpans(ctx) },
  { name: 'sandboxes', everyMs: 300_000, run: (ctx) => sweepSandboxes(ctx) },
];

/** By type of workflow: what becomes of its work when it is lost. */
export const runOwners = { runSkill: ownerOfJob(endOrphanedRun) } satisfies WorkflowOwners;

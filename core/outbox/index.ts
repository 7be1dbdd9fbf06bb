// What processes run of this area.
import type { WorkflowOwners } from '../kernel/lost-workflow.ts';
import type { AreaLoop } from '../kernel/loop.ts';
import { sweepOutbox } from './dispatch.ts';
import { reconcileWorkflows } from './reconcile.ts';

export { onRepairedWorkflow, repairMetrics } from './lost.ts';

/** `owners`: by type of workflow, what becomes of it when it is lost; from the areas that know the types. */
export function outboxLoops(owners: WorkflowOwners): readonly AreaLoop[] {
  return [
    { name: 'outbox', everyMs: 1_000, run: (ctx) => sweepOutbox(ctx) },
    { name: 'reconcile', everyMs: 20_000, run: (ctx) => reconcileWorkflows(ctx, owners) },
  ];
}

// Waits whose workflow is lost (a Temporal that came back empty, a workflow ended by hand). Slow on purpose: ordinarily nothing is found.
import type { Ctx } from '../../kernel/ctx.ts';
import { advanceApproval } from '../approval/advance.ts';
import { workflowOf } from './model.ts';
import { recordWaitOutcome } from './record-outcome.ts';

const batch = 100;
const graceSeconds = 60;

/** Sends the start of the wait's workflow again, unless it is queued already; a running workflow ignores it. */
export async function restartWait(ctx: Ctx, waitId: string): Promise<void> {
  await ctx
    .db('outbox')
    .where({ workflow_id: workflowOf(waitId), kind: 'start' })
    .whereNotNull('sent_at')
    .update({ sent_at: null, due_at: ctx.db.raw('now()') });
}

/** Waits that should have ended. Resolves with the ids of those it repaired. */
export async function reconcileWaits(ctx: Ctx): Promise<string[]> {
  const overdue = await ctx
    .db('waits')
    .where({ state: 'pending' })
    .where('expires_at', '<', ctx.db.raw(`now() - interval '${graceSeconds} seconds'`))
    .orderByRaw('random()')
    .limit(batch)
    .select('wait_id', 'approval');
  const repaired: string[] = [];
  for (const { wait_id, approval } of overdue) {
    const state = await ctx.drivers.workflows.describe(workflowOf(wait_id));
    if (state === 'running') continue;
    if (state === 'absent') await restartWait(ctx, wait_id);
    // By several: the clock escalates it or ends it, without a workflow.
    else if (approval !== null) await advanceApproval(ctx, wait_id);
    else await recordWaitOutcome(ctx, wait_id, { decision: 'expired' });
    repaired.push(wait_id);
  }
  return repaired;
}

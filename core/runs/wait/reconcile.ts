// Waits whose workflow is lost (a Temporal that came back empty, a workflow ended by hand). Slow on purpose: ordinarily nothing is found.
import type { Ctx } from '../../kernel/ctx.ts';
import { longAgo } from '../../kernel/lease.ts';
import { advanceApproval } from '../approval/advance.ts';
import { workflowOf } from './model.ts';
import { recordWaitOutcome } from './record-outcome.ts';

const batch = 100;
const graceSeconds = 60;

/** Sends the start of the wait's workflow again, unless it is queued already; a running workflow ignores it. */
async function restartWait(ctx: Ctx, waitId: string): Promise<void> {
  await ctx
    .db('outbox')
    .where({ workflow_id: workflowOf(waitId), kind: 'start' })
    .whereNotNull('sent_at')
    .update({ sent_at: null, due_at: ctx.db.raw('now()') });
}

/** Waits that should have ended, by their time or with their run. Resolves with the ids of those it repaired. */
export async function reconcileWaits(ctx: Ctx): Promise<string[]> {
  const grace = ctx.db.raw(`now() - interval '${graceSeconds} seconds'`);
  const over = await ctx
    .db('waits as w')
    .leftJoin('runs as r', 'r.run_id', 'w.run_id')
    .where({ 'w.state': 'pending' })
    .where((late) => late.where('w.expires_at', '<', grace).orWhereRaw(longAgo('r.ended_at', graceSeconds)))
    .orderByRaw('random()')
    .limit(batch)
    .select('w.wait_id', 'w.approval', 'r.ended_at');
  const repaired: string[] = [];
  for (const { wait_id, approval, ended_at } of over) {
    const state = await ctx.drivers.workflows.describe(workflowOf(wait_id));
    if (state === 'running') continue;
    // Begun again, it takes the message that its run has ended.
    if (state === 'absent') await restartWait(ctx, wait_id);
    else if (ended_at !== null) await recordWaitOutcome(ctx, wait_id, { decision: 'cancelled' });
    // By several: the clock escalates it or ends it, without a workflow.
    else if (approval !== null) await advanceApproval(ctx, wait_id);
    else await recordWaitOutcome(ctx, wait_id, { decision: 'expired' });
    repaired.push(wait_id);
  }
  return repaired;
}

// A wait whose workflow is lost. Begun again, it takes the decision, ends at its time and tells the skill, as
// the row says.
import type { WorkflowOwner } from '../../kernel/lost-workflow.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { lookAtWait } from './hold.ts';
import { waitIn } from './model.ts';
import { awaitsDelivery, recordWaitOutcome } from './record-outcome.ts';

export const ownerOfWait: WorkflowOwner = async (ctx, { workflow_id }) => {
  const wait = await lookAtWait(ctx.db, waitIn(workflow_id));
  if (!wait) return 'over';
  const { row, run } = wait;
  if (row.state !== 'pending') return row.state !== 'cancelled' && awaitsDelivery(wait) ? 'again' : 'over';
  if (run === null || isOpenRun(run)) return 'again';
  await recordWaitOutcome(ctx, row.wait_id, { decision: 'cancelled' });
  return 'ended';
};

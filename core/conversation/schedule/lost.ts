// A firing whose workflow is lost.
import type { WorkflowOwner } from '../../kernel/lost-workflow.ts';

/** Begun again, it finds its row and follows what it has started. */
export const ownerOfFiring: WorkflowOwner = async ({ db }, { workflow_id }) => {
  const firing = await db('schedule_firings').where({ firing_id: workflow_id }).whereNull('ended_at').first('firing_id');
  return firing ? 'again' : 'over';
};

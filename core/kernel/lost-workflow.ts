// What becomes of the work of a workflow that ended without a result, or that the engine does not know. Each
// type has an owner, which its area names.
import type { Ctx } from './ctx.ts';

export interface LostWorkflow {
  workflow_id: string;
  /** absent: the engine has lost it. completed: a job of it is open nevertheless. */
  state: 'absent' | 'completed' | 'failed' | 'cancelled' | 'terminated';
}

/**
 * over: its work had ended. ended: its record ends with a fault. again: it starts once more under its id, and
 * takes its messages; the rows guard its steps.
 */
export type Remedy = 'over' | 'ended' | 'again';

export type WorkflowOwner = (ctx: Ctx, lost: LostWorkflow) => Promise<Remedy>;

/** By workflow type. */
export type WorkflowOwners = Readonly<Record<string, WorkflowOwner>>;

/** Its first step looks at the rows, and ends it where nothing is left to do. */
export const startAgain: WorkflowOwner = async (_ctx, { state }) => (state === 'completed' ? 'over' : 'again');

/** The engine's calendar starts it anew. */
export const nextTime: WorkflowOwner = async () => 'over';

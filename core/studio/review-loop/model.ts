// The input of a review loop, and its record of its disposable scope.
import type { ReviewLoopIn } from '#contract/studio/adversarial-review-loops.ts';
import type { ReviewLoopsRow } from '#db/tables.ts';

export const REVIEW_LOOP_KIND = 'adversarial_review_loop';

export interface LoopSpec extends Omit<ReviewLoopIn, 'reviewer' | 'seed' | 'deadline_seconds'> {
  seed: number;
  reviewer: string | null;
  deadline_seconds: number;
}

/** Names and canaries that cannot be guessed. */
export interface Scope {
  /** In the owner's workspace, removed at the end. */
  folder: string;
  given: string;
  private: string;
  memory: string;
}

export const workflowOfLoop = (jobId: string): string => `review-loop:${jobId}`;

// Safe: only start.ts writes the column.
export const specOf = (row: Pick<ReviewLoopsRow, 'spec'>): LoopSpec => row.spec as LoopSpec;
// Safe: only step.ts writes the column.
export const loopScope = (row: Pick<ReviewLoopsRow, 'scope'>): Scope | null => row.scope as Scope | null;

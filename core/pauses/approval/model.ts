// A wait of an organization that several of its members decide: the rule as it was when the wait began, kept
// with the wait.
import type { Approvers, ApprovalRule } from '#contract/orgs/approvals.ts';
import type { ApprovalSubject } from '#contract/states.ts';
import type { WaitsRow } from '#db/tables.ts';

export interface ApprovalStage {
  approvers: Approvers;
  deadline_seconds: number;
}

export interface Approval {
  rule: string;
  policy_version: number;
  policy_sha256: string;
  starter_may_count: boolean;
  /** user_ids of those who started the run, as far as they are persons. */
  starters: string[];
  /** The first, and the one it is escalated to. */
  stages: ApprovalStage[];
  /** The skill waits until then, whatever the stages say. Milliseconds since the epoch. */
  limit_at: number;
}

/** The facts that a rule is checked against. */
export interface ApprovalFacts {
  subjects: readonly ApprovalSubject[];
  /** Who asks, and what would be called. */
  pairs: readonly { agent: string; skill: string }[];
  /** Patterns of paths that are asked for. */
  paths: readonly string[];
  /** What it may cost at most; null: it costs nothing, or has no price. */
  amountMicros: number | null;
}

// Safe: only begin.ts writes the column, with this shape.
export function approvalOf(row: Pick<WaitsRow, 'approval'>): Approval | null {
  return row.approval as Approval | null;
}

/** Of the stage that the wait is in. */
export function stageOf(approval: Approval, row: Pick<WaitsRow, 'approval_stage'>): ApprovalStage {
  const stage = approval.stages[row.approval_stage ?? 0];
  if (!stage) throw new Error(`no stage ${row.approval_stage} of ${approval.rule}`);
  return stage;
}

export function stagesOf({ approvers, deadline_seconds, escalate }: ApprovalRule): ApprovalStage[] {
  return [{ approvers, deadline_seconds }, ...(escalate ? [escalate] : [])];
}

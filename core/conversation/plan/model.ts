// A plan over several agents: its nodes, what each waits for, and its outcome.
import type { PlanNodeState } from '#contract/states.ts';
import type { DagNodesRow } from '#db/tables.ts';
import type { Brief, PlanMember } from './team-node.ts';

export type NodeState = PlanNodeState;

/** Nodes of one plan in all, and of those that run side by side. */
export const MAX_NODES = 64;
export const MAX_PARALLEL = 8;

export interface PlannedNode {
  agent: string;
  skill: string;
  /** References to results of other nodes among them. */
  args: Record<string, unknown>;
  depends_on: number[];
  /** Needs approval: chosen by a model or by rules, and not harmless or not certain. */
  ask?: boolean;
  /** Of a team: its task in words, who does it, and who else can. */
  team?: { step: string; role: string; brief: Brief; others: readonly PlanMember[]; mayFail: boolean; gate: boolean };
  callId?: string;
}

export function workflowOfPlan(dagRunId: string): string {
  return `dag:${dagRunId}`;
}

export function isNodeOver(state: NodeState): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'cancelled' || state === 'skipped';
}

// Safe: nodes are written with an object as their arguments.
export function argsOf(row: Pick<DagNodesRow, 'args'>): Record<string, unknown> {
  return row.args as Record<string, unknown>;
}

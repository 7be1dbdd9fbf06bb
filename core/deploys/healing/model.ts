import { SelfHealing } from '#contract/wire/manifest.ts';
import type { RepairAction } from '#contract/states.ts';
import type { AgentRepairsRow } from '#db/tables.ts';

export const openRepairs = ['queued', 'running', 'awaiting_secret'] as const;

/** One thing that was tried, as its row keeps it. */
export interface RepairStep {
  action: RepairAction;
  at: string;
  deploy_id: string | null;
  commit: string | null;
  outcome: 'under_way' | 'healed' | 'failed';
  detail: string;
}

export function healingPolicy(row: Pick<AgentRepairsRow, 'policy'>): SelfHealing {
  return SelfHealing.parse(row.policy);
}

// Safe: only core/deploys/healing writes them.
export function stepsOf(row: Pick<AgentRepairsRow, 'steps'>): RepairStep[] {
  return row.steps as RepairStep[];
}

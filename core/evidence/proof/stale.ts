// Whether a proof still says something of what runs now.
import type { ProofStaleReason } from '#contract/states.ts';
import type { AgentProofsRow } from '#db/tables.ts';

export const PROOF_DAY_MS = 86_400_000;

export interface Now {
  /** Of its agent; null: nothing runs. */
  liveDeployId: string | null;
  maxAgeDays: number;
  /** Milliseconds since the epoch. */
  at: number;
}

export function staleReason(row: Pick<AgentProofsRow, 'deploy_id' | 'created_at'>, now: Now): ProofStaleReason | null {
  if (row.deploy_id !== now.liveDeployId) return 'version_changed';
  return now.at - row.created_at.getTime() > now.maxAgeDays * PROOF_DAY_MS ? 'too_old' : null;
}

// How the policy and what it refused are shown.
import { DEFAULT_POLICY, type ControlRoomPolicyOut, type PolicyDenialOut } from '#contract/overview/control-room.ts';
import type { PolicyDenialsRow } from '#db/tables.ts';
import { type SetPolicy, sha256OfPolicy } from '../../policy/policy.ts';

interface Shown {
  changedAt: Date | null;
  loosened?: string[];
  machinesPending: number;
}

/** `set` undefined: the account has set nothing. */
export function presentControlRoomPolicy(set: SetPolicy | undefined, { changedAt, loosened = [], machinesPending }: Shown): ControlRoomPolicyOut {
  return {
    ...(set?.policy ?? DEFAULT_POLICY),
    set: set !== undefined,
    version: set?.version ?? 0,
    sha256: set?.sha256 ?? sha256OfPolicy(DEFAULT_POLICY),
    changed_at: changedAt?.toISOString() ?? null,
    loosened,
    machines_pending: machinesPending,
  };
}

export function presentDenial(row: PolicyDenialsRow): PolicyDenialOut {
  return {
    denial_id: row.denial_id,
    action: row.action,
    outcome: row.outcome,
    rule: row.rule,
    resource: row.resource,
    message: row.message,
    agent: row.agent_name,
    run_id: row.run_id,
    root_run_id: row.root_run_id,
    job_id: row.job_id,
    decision_id: row.decision_id,
    policy_sha256: row.policy_sha256,
    policy_version: row.policy_version,
    count: row.count,
    created_at: row.created_at.toISOString(),
    last_at: row.last_at.toISOString(),
  };
}

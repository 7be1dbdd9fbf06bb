// Proofs as their runner and as the public see them.
import type { ProofDetailOut, ProofOut, PublicProofDetailOut, PublicProofOut } from '#contract/quality/agent-proofs.ts';
import type { AgentProofsRow } from '#db/tables.ts';
import { type Now, staleReason } from './stale.ts';

/** With what runs now of its agent. */
export type ProofView = AgentProofsRow & { live_deploy_id: string | null };

function presentPublic(row: ProofView, now: Omit<Now, 'liveDeployId'>): PublicProofOut {
  return {
    proof_id: row.proof_id,
    agent: row.agent_name,
    skill_name: row.skill_name,
    deploy_id: row.deploy_id,
    version: row.version,
    status: row.status,
    error: stored<ProofOut['error']>(row.error),
    run_by: row.run_by,
    case: row.args_case,
    seed: row.seed,
    checks: stored<ProofOut['checks']>(row.checks),
    card_hash: row.card_hash,
    head_sha: row.head_sha,
    image: row.image,
    proof_hash: row.proof_sha256,
    receipt_id: row.receipt_id,
    elapsed_ms: row.elapsed_ms,
    stale: staleReason(row, { ...now, liveDeployId: row.live_deploy_id }),
    withdrawn: row.withdrawn_at === null ? null : { at: row.withdrawn_at.toISOString(), reason: row.withdrawn_reason ?? '' },
    created_at: row.created_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

export function presentOwnProof(row: ProofView, now: Omit<Now, 'liveDeployId'>): ProofOut {
  const { published, grant_id, run_id, job_id } = row;
  return { ...presentPublic(row, now), published, grant_id, run_id, job_id };
}

/** @param receipt its receipt as signed */
export function presentPublicDetail(row: ProofView, receipt: string | null, now: Omit<Now, 'liveDeployId'>): PublicProofDetailOut {
  return { ...publicProof(row, now), ...(row.withdrawn_at === null ? contentOf(row, receipt) : WITHDRAWN) };
}

/** The public form; of a withdrawn proof without its content. */
export function publicProof(row: ProofView, now: Omit<Now, 'liveDeployId'>): PublicProofOut {
  const shown = presentPublic(row, now);
  return row.withdrawn_at === null ? shown : { ...shown, checks: [], error: null, seed: null };
}

const WITHDRAWN = { args: {}, result: null, has_result: false, events: [], file_ops: [], proof: null, receipt: null };

export function presentProofDetail(row: ProofView, receipt: string | null, now: Omit<Now, 'liveDeployId'>): ProofDetailOut {
  const { deadline_seconds, budget_micros } = row;
  return { ...presentOwnProof(row, now), ...contentOf(row, receipt), deadline_seconds, budget_micros, properties: stored(row.properties) };
}

function contentOf(row: ProofView, receipt: string | null) {
  return {
    args: stored<ProofDetailOut['args']>(row.args),
    result: row.result,
    has_result: row.has_result,
    events: stored<ProofDetailOut['events']>(row.events),
    file_ops: stored<ProofDetailOut['file_ops']>(row.file_ops),
    proof: row.token,
    receipt,
  };
}

// Safe: only core/quality/proof writes these columns, from values of these types.
function stored<T>(json: unknown): T {
  return json as T;
}

// An agent with one of each kind of evidence, as the parts of the platform leave it, and words in it that
// nobody may read out of it again.
import type { Knex } from 'knex';
import { newId } from '../../kernel/ids.ts';

/** Stands where arguments, results, logs, errors, paths and tokens are. */
export const CANARY = 'canary-4b1d';
const canary = JSON.stringify({ message: CANARY, code: 'bad_input' });

export interface Populated {
  receiptId: string;
  othersReceiptId: string;
  grantId: string;
  othersGrantId: string;
  handoffId: string;
  runId: string;
  reviewId: string;
  repairId: string;
  proofId: string;
  findingId: string;
}

interface Of {
  agentId: string;
  name: string;
  ownerId: string;
  /** Another account that calls it. */
  otherId: string;
  deployId: string;
}

export async function populate(db: Knex, of: Of): Promise<Populated> {
  const { agentId, name, ownerId, otherId, deployId } = of;
  const ids = {
    receiptId: newId('rcp'),
    othersReceiptId: newId('rcp'),
    grantId: newId('grt'),
    othersGrantId: newId('grt'),
    handoffId: newId('grt'),
    runId: newId('run'),
    reviewId: newId('rev'),
    repairId: newId('rep'),
    proofId: `prf_${newId('rcp').slice(4)}`,
    findingId: `fnd_${newId('rcp').slice(4)}`,
  };
  const jobId = newId('job');
  await db('deployments')
    .where({ deploy_id: deployId })
    .update({ version: '1.0.0', live_at: new Date(), error: canary, source_commit: 'a'.repeat(40) });
  await db('jobs').insert({
    job_id: jobId,
    kind: 'run',
    state: 'succeeded',
    title: CANARY,
    owner_id: ownerId,
    agent_id: agentId,
    agent_name: name,
    input: canary,
    output: canary,
    error: canary,
    ended_at: new Date(),
  });
  await db('review_runs').insert({
    review_id: ids.reviewId,
    agent_id: agentId,
    deploy_id: deployId,
    state: 'passed',
    summary: CANARY,
    started_at: new Date(),
    ended_at: new Date(),
  });
  await db('agent_repairs').insert({
    repair_id: ids.repairId,
    agent_id: agentId,
    deploy_id: deployId,
    state: 'healed',
    policy: '{}',
    error: canary,
    source_sha256: '0'.repeat(64),
    healed_deploy_id: deployId,
    changed_files: canary,
    ended_at: new Date(),
  });
  await db('template_updates').insert({
    update_id: newId('tup'),
    agent_id: agentId,
    of_deploy_id: deployId,
    state: 'rejected',
    ref: 'typescript',
    from_version: '1.0.0',
    from_digest: 'x',
    to_version: '1.1.0',
    to_digest: 'y',
    changed: canary,
    ended_at: new Date(),
  });
  const grant = (grant_id: string, owner_id: string) => ({
    grant_id,
    kind: 'mint' as const,
    owner_id,
    issuer: owner_id,
    audience: name,
    bucket: `usr:${owner_id}`,
    mode: 'read_only' as const,
    allow_patterns: [`${CANARY}/**`],
    reason: CANARY,
    issued_at: new Date(),
    expires_at: new Date(Date.now() + 60_000),
  });
  await db('grants').insert([
    grant(ids.grantId, ownerId),
    grant(ids.othersGrantId, otherId),
    { ...grant(ids.handoffId, ownerId), parent_grant_id: ids.grantId, kind: 'delegate' },
  ]);
  await db('waits').insert({
    wait_id: newId('wait'),
    kind: 'question',
    state: 'answered',
    job_id: jobId,
    agent_id: agentId,
    agent_name: name,
    asked_of: ownerId,
    prompt: CANARY,
    request: canary,
    resolution: canary,
    resolved_by: ownerId,
    resolved_at: new Date(),
    expires_at: new Date(),
  });
  await db('runs').insert({
    run_id: ids.runId,
    agent_id: agentId,
    agent_name: name,
    deploy_id: deployId,
    skill: 'greet',
    user_id: ownerId,
    caller_kind: 'user',
    caller_id: ownerId,
    state: 'succeeded',
    args: canary,
    started_at: new Date(),
    ended_at: new Date(),
  });
  await db('subagent_runs').insert({
    grant_id: ids.handoffId,
    owner_id: ownerId,
    agent_name: name,
    skill: 'greet',
    caller_agent: name,
    source: 'call',
    run_id: ids.runId,
    started_at: new Date(),
    args: canary,
  });
  await db('receipts').insert([
    receipt(of, ids.receiptId, 1, ownerId, { run_id: ids.runId, job_id: jobId }, [ids.grantId]),
    receipt(of, ids.othersReceiptId, 2, otherId, {}, [ids.othersGrantId]),
  ]);
  await db('receipt_chains')
    .insert({ agent_id: agentId, seq: 2, head_sha256: 'f'.repeat(64) })
    .onConflict('agent_id')
    .merge();
  await db('agent_sessions').insert({
    session_id: newId('ags'),
    user_id: ownerId,
    agent_id: agentId,
    run_id: ids.runId,
    job_id: jobId,
    header: JSON.stringify({ skill: 'greet', note: CANARY }),
  });
  await db('llm_usage').insert({
    usage_id: newId('llu'),
    user_id: ownerId,
    credential_id: 'llc_1',
    credential: CANARY,
    provider: 'openai',
    model: 'small',
    purpose: 'skill',
    agent_name: name,
    run_id: ids.runId,
    state: 'ok',
    input_tokens: 1,
    cached_input_tokens: 0,
    output_tokens: 1,
    estimated: false,
    reserved_micros: 0,
    cost_micros: 1,
    day: '2026-11-20',
    started_at: new Date(),
    ended_at: new Date(),
    cap_ids: [],
  });
  await db('evaluations').insert({
    evaluation_id: newId('evl'),
    agent_id: agentId,
    dataset: 'cases',
    deploy_id: deployId,
    version: '1.0.0',
    created_by: ownerId,
    state: 'succeeded',
    error: canary,
    created_at: new Date(),
    ended_at: new Date(),
  });
  return ids;
}

function receipt(of: Of, receipt_id: string, seq: number, caller: string, more: { run_id?: string; job_id?: string }, grants: string[]) {
  const payload = { agent: { version: '1.0.0' }, grants, handoffs: [], files: [{ path: CANARY }], error_code: null };
  const now = new Date();
  return {
    receipt_id,
    agent_id: of.agentId,
    seq,
    source: 'platform' as const,
    kid: 'key_1',
    token: `${CANARY}.token`,
    payload: JSON.stringify(payload),
    payload_sha256: '0'.repeat(64),
    skill: 'greet',
    status: 'ok' as const,
    caller_kind: 'user',
    caller_id: caller,
    caller_user_id: caller,
    deploy_id: of.deployId,
    started_at: now,
    ended_at: now,
    duration_ms: 5,
    ...more,
  };
}

/**
 * Of proofs and findings, which other parts of the platform make; a test that comes before them makes their
 * tables.
 */
export async function ensureCheckTables(db: Knex): Promise<void> {
  await db.raw(`
    create table if not exists agent_proofs (
      proof_id text primary key, agent_id text not null references agents, agent_name text not null, owner_id text not null references users, run_by text not null,
      published boolean not null, deploy_id text not null references deployments, version text not null, skill_name text not null, args jsonb not null,
      input_sha256 text not null, args_case text not null, deadline_at timestamptz not null, deadline_seconds integer not null, budget_micros bigint not null,
      grant_id text, run_id text, receipt_id text, job_id text, status text not null, error jsonb, result jsonb, card_hash text not null, elapsed_ms integer,
      proof_sha256 text, token text, withdrawn_at timestamptz, created_at timestamptz not null default now(), ended_at timestamptz
    );
    create table if not exists agent_findings (
      finding_id text primary key, agent_id text not null references agents, deploy_id text not null references deployments, job_id text, source text not null,
      hash text not null, severity text not null, rule text not null, skill text, title text not null, message text not null, reproduction jsonb,
      confirmed boolean not null, state text not null, answer text, reason text, answered_by text, answered_at timestamptz, created_at timestamptz not null
    );
  `);
}

export async function addProof(
  db: Knex,
  of: Of & { proofId: string },
  more: { status?: 'passed' | 'failed'; published?: boolean; receiptId?: string; at?: Date; byCaller?: boolean } = {},
): Promise<void> {
  const at = more.at ?? new Date();
  const sealed = more.receiptId === undefined ? { token: null, proof_sha256: null } : { token: `${CANARY}.proof`, proof_sha256: '0'.repeat(64) };
  await db.raw(
    `insert into agent_proofs (proof_id, agent_id, agent_name, owner_id, run_by, published, deploy_id, version, skill_name, args, input_sha256, args_case, deadline_at,
       deadline_seconds, budget_micros, receipt_id, status, result, card_hash, elapsed_ms, proof_sha256, token, created_at, ended_at)
     values (:proof_id, :agent_id, :name, :owner, :run_by, :published, :deploy_id, '1.0.0', 'greet', :canary, 'x', 'sampled', now(), 60, 0, :receipt_id, :status, :canary, 'x', 12,
       :proof_sha256, :token, :at, :at)`,
    {
      proof_id: of.proofId,
      agent_id: of.agentId,
      name: of.name,
      owner: more.byCaller === true ? of.otherId : of.ownerId,
      run_by: more.byCaller === true ? 'caller' : 'owner',
      published: more.published ?? true,
      deploy_id: of.deployId,
      canary,
      receipt_id: more.receiptId ?? null,
      status: more.status ?? 'passed',
      at,
      ...sealed,
    },
  );
}

export async function addFinding(
  db: Knex,
  of: Of & { findingId: string },
  more: { severity?: 'critical' | 'warning'; hash?: string; confirmed?: boolean; answered?: boolean } = {},
): Promise<void> {
  const answered = more.answered === true;
  await db.raw(
    `insert into agent_findings (finding_id, agent_id, deploy_id, source, hash, severity, rule, title, message, reproduction, confirmed, state, answer, answered_at, created_at)
     values (:finding_id, :agent_id, :deploy_id, 'review_loop', :hash, :severity, 'path-traversal', 'Reads outside its folder', :message, :canary, :confirmed, :state, :answer, :answered_at, now())`,
    {
      finding_id: of.findingId,
      agent_id: of.agentId,
      deploy_id: of.deployId,
      hash: more.hash ?? of.findingId,
      severity: more.severity ?? 'critical',
      message: CANARY,
      canary,
      confirmed: more.confirmed ?? true,
      state: answered ? 'answered' : 'open',
      answer: answered ? 'fixed' : null,
      answered_at: answered ? new Date() : null,
    },
  );
}

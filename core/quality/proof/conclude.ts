// The end of a proof, once: its checks, its verdict, the signed document, its row and its job, in one
// transaction.
import type { Knex } from 'knex';
import { AgentCard } from '#contract/wire/card.ts';
import { MAX_PROOF_RESULT_LENGTH } from '#contract/quality/agent-proofs.ts';
import type { ProofCheck } from '#contract/wire/proof.ts';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import type { Insert } from '#db/table-types.ts';
import type { AgentProofsRow, RunsRow } from '#db/tables.ts';
import { signProof } from '../../evidence/proof/sign.ts';
import { appendEvents } from '../../jobs/append-event.ts';
import { endJob } from '../../jobs/long-work.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { type Fault, storedFault } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import { workflowOfRun } from '../../jobs/of-run.ts';
import { resultIn } from '../../runs/run/outcome.ts';
import { checksOf, type Performed } from './checks.ts';
import { SPENT, spentOf, type SpentRow, runTreeSql } from './spent.ts';

/** How many kinds of events are shown, and in how many events they are looked for. */
const EVENT_KINDS = 50;
const EVENTS_READ = 10_000;

/**
 * With its row locked. A proof that a person cancelled, or whose version changed under it, has no verdict:
 * nothing is signed.
 */
export async function concludeProof(ctx: TxCtx, proof: AgentProofsRow, run: RunsRow): Promise<void> {
  const stopped = storedFault(proof.error);
  if (stopped?.code === 'cancelled') return endUnsigned(ctx, proof, stopped);
  if (run.deploy_id !== proof.deploy_id)
    return endUnsigned(ctx, proof, { code: 'version_changed', message: 'Another version became live meanwhile: run the proof again' });
  const records = await recordsOf(ctx.db, proof, run);
  if (records.receipt === null) return endUnsigned(ctx, proof, { code: 'receipt_not_found', message: 'The run ended without a receipt: run the proof again' });
  const result = run.state === 'succeeded' ? { value: resultIn(records.output) } : undefined;
  const fault = stopped ?? (result ? undefined : (storedFault(records.error) ?? { code: run.state, message: 'The run ended without saying why' }));
  const performed: Performed = {
    proof,
    author: records.author ?? proof.agent_name,
    run,
    receipt: records.receipt,
    result,
    fault,
    outputSchema: AgentCard.safeParse(records.card).data?.skills.find(({ id }) => id === proof.skill_name)?.output_schema ?? {},
    spent: spentOf(records),
    askedSomebody: records.asked_somebody,
  };
  await endSigned(ctx, performed, await checksOf(performed), records);
}

async function endSigned(ctx: TxCtx, of: Performed, checks: readonly ProofCheck[], kept: RunRecords): Promise<void> {
  const { proof, run, receipt, result, fault } = of;
  const passed = checks.filter((check) => check.passed).length;
  const status = passed === checks.length ? 'passed' : 'failed';
  const elapsed_ms = Math.max(0, Date.parse(receipt.ended_at) - proof.created_at.getTime());
  const { token, proof_sha256 } = await signProof(ctx, {
    proof_id: proof.proof_id,
    agent: { name: proof.agent_name, version: receipt.agent.version, deployment_id: proof.deploy_id, image: receipt.agent.image },
    head_sha: proof.head_sha,
    card_sha256: proof.card_hash,
    skill: proof.skill_name,
    run_by: proof.run_by,
    input: { sha256: proof.input_sha256, case: proof.args_case, seed: proof.seed },
    output_sha256: receipt.output_sha256,
    grant_id: proof.grant_id,
    receipt: { receipt_id: receipt.receipt_id, sha256: kept.receipt_sha256 ?? '' },
    limits: { deadline_seconds: proof.deadline_seconds, budget_micros: proof.budget_micros },
    status,
    error_code: fault?.code.slice(0, 128) ?? null,
    checks: [...checks],
    counts: {
      checks: checks.length,
      passed,
      events: run.event_count,
      files: receipt.files.length,
      tool_calls: receipt.tool_calls.length,
      handoffs: receipt.handoffs.length,
    },
    cost_micros: of.spent.micros,
    started_at: receipt.started_at,
    ended_at: receipt.ended_at,
    elapsed_ms,
  });
  const text = result === undefined ? undefined : storableJson(result.value ?? null);
  await end(ctx.db, proof, {
    status,
    receipt_id: receipt.receipt_id,
    error: fault ? storableJson(fault) : null,
    has_result: result !== undefined,
    result: text !== undefined && text.length <= MAX_PROOF_RESULT_LENGTH ? text : null,
    checks: storableJson(checks),
    events: storableJson(kept.events),
    file_ops: storableJson(receipt.files),
    image: receipt.agent.image,
    elapsed_ms,
    proof_sha256,
    token,
  });
  await audit(
    ctx,
    `proof.${status}`,
    { proof: proof.proof_id },
    { receipt_id: receipt.receipt_id, proof_sha256, agent: proof.agent_name, skill: proof.skill_name },
  );
  if (proof.job_id === null) return;
  await appendEvents(ctx.db, proof.job_id, [
    ...checks.map(({ name, passed: holds, reason }) => ({ kind: 'proof.check', payload: { name, passed: holds, reason } })),
    { kind: 'proof.signed', payload: { status, receipt_id: receipt.receipt_id, proof_hash: proof_sha256 } },
  ]);
  const output = { proof_id: proof.proof_id, status, receipt_id: receipt.receipt_id, proof_hash: proof_sha256 };
  await endJob(ctx.db, proof.job_id, { output });
}

/** Without a verdict: it counts for nothing, and only its runner sees it. */
export async function endUnsigned(ctx: TxCtx, proof: AgentProofsRow, fault: Fault): Promise<void> {
  await end(ctx.db, proof, { status: 'failed', error: storableJson(fault) });
  await audit(ctx, 'proof.ended', { proof: proof.proof_id }, { code: fault.code });
  await endJob(ctx.db, proof.job_id, { fault });
}

async function end(tx: Knex.Transaction, { proof_id }: AgentProofsRow, set: Partial<Insert<'agent_proofs'>>): Promise<void> {
  await tx('agent_proofs').where({ proof_id, status: 'running' }).update({ ...set, ended_at: tx.raw('now()') }); // prettier-ignore
}

interface KindCount {
  kind: string;
  count: number;
}

/** What the platform wrote of the run. */
interface RunRecords extends SpentRow {
  /** Safe to read as that: the platform sealed it, and stores payloads that passed the schema. */
  receipt: ReceiptPayload | null;
  receipt_sha256: string | null;
  output: unknown;
  error: unknown;
  card: unknown;
  /** Null: the agent was deleted. */
  author: string | null;
  asked_somebody: boolean;
  /** Only by kind: what an agent wrote into them is for its caller. */
  events: KindCount[];
}

/**
 * In one statement: each one more is time that the proof takes. The receipt is of the platform's own making,
 * for this run: one that an agent handed in is none of it.
 */
async function recordsOf(tx: Knex.Transaction, proof: AgentProofsRow, run: RunsRow): Promise<RunRecords> {
  const { rows } = await tx.raw<{ rows: RunRecords[] }>(
    `with recursive ${runTreeSql}
     select r.payload as receipt, r.payload_sha256 as receipt_sha256, j.output, j.error, d.card, (select owner_id from agents where agent_id = :agent) as author, spent.known, spent.unknown,
            exists (select 1 from waits where run_id in (select run_id from tree)) as asked_somebody,
            (select coalesce(json_agg(k), '[]') from (
               select left(kind, 128) as kind, count(*)::int as count from job_events where job_id = j.job_id and seq <= ${EVENTS_READ}
               group by 1 order by 2 desc, 1 limit ${EVENT_KINDS}
             ) k) as events
     from (${SPENT}) spent
       left join receipts r on r.receipt_id = :receipt and r.run_id = :run and r.agent_id = :agent and r.source = 'platform'
       left join jobs j on j.workflow_id = :workflow
       left join deployments d on d.deploy_id = :deployment`,
    { run: run.run_id, receipt: run.receipt_id ?? '', agent: proof.agent_id, workflow: workflowOfRun(run.run_id), deployment: proof.deploy_id },
  );
  const [kept] = rows;
  if (!kept) throw new Error('a statement without a row');
  return kept;
}

// The one writer of a run's end: its final state, what it staged, held and asked, and the receipt of its
// call, in one transaction.
import type { Knex } from 'knex';
import { MAX_RECEIPT_DECISIONS, MAX_RECEIPT_DENIALS, type ReceiptPayload } from '#contract/wire/receipt.ts';
import { durationMs, type ReceiptFacts, type SignedReceipt } from '../../evidence/receipt/link.ts';
import { appendReceipt } from '../../evidence/receipt/sign.ts';
import { afterCommit } from '../../kernel/after-commit.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { isOrganizationId } from '../../kernel/ids.ts';
import { type RunEndState, statesBefore } from '../../kernel/run-state.ts';
import { traceColumns } from '../../kernel/trace.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { revokeGrantsOfRun } from '../../workspace/grant/revoke.ts';
import { closePatches } from '../../workspace/patch/settle.ts';
import { removeSandboxesOf } from '../sandbox/remove.ts';
import { chargeOf } from '../../money/charge/amount.ts';
import { releaseCharge, settleCharge } from '../../money/charge/end.ts';
import { OPEN_CHARGE, type OpenCharge } from '../../money/charge/open-charge.ts';
import { approvalsOfRun } from '../../pauses/approval/receipt.ts';
import { argumentsSha256, workflowOf } from '../../pauses/wait/model.ts';
import { denialsOfRun } from './denials.ts';
import type { CallFacts } from './facts.ts';
import type { Outcome } from './outcome.ts';
import { upTo } from '../../kernel/up-to.ts';

/** Of a receipt: so many that were read, so many that were changed. */
const MOST_FILES = 1_000;
const MOST_CALLS = 200;
/**
 * Of the paths of each together: a thousand of the longest would make a receipt of megabytes, which is sealed
 * in one step.
 */
const MOST_PATH_BYTES = 256 * 1024;

export type Receipt = Pick<SignedReceipt, 'receipt_id' | 'token'>;

/** What a run did besides computing, for its receipt. */
export type RunEffects = Required<Pick<ReceiptFacts, 'grants' | 'files' | 'handoffs' | 'denials' | 'decisions' | 'leftOut'>>;

/**
 * Ends the run, durable or not, and signs the receipt. A run that has ended stays as it is; the receipt is
 * one more.
 */
export async function endRun(ctx: TxCtx, call: CallFacts, outcome: Outcome): Promise<Receipt> {
  const { did, charge } = await writeEnd(ctx, call.run.run_id, outcome.state, 'any');
  return signReceipt(ctx, call, outcome, did, charge);
}

/** The same, unless a workflow holds the run: undefined, nothing was changed. */
export async function endRunUnlessDurable(ctx: TxCtx, call: CallFacts, outcome: Outcome): Promise<Receipt | undefined> {
  const { left, did, charge } = await writeEnd(ctx, call.run.run_id, outcome.state, 'calls');
  return left ? undefined : signReceipt(ctx, call, outcome, did, charge);
}

/** For a run whose call is not known: a receipt could not name its arguments. */
export async function endRunWithoutReceipt(ctx: TxCtx, runId: string, state: RunEndState): Promise<RunEffects | undefined> {
  const { did, charge } = await writeEnd(ctx, runId, state, 'any');
  if (charge) releaseCharge(ctx, charge, null);
  // The export of traces follows receipts.
  if (did) await ctx.db('unreceipted_runs').insert({ run_id: runId, ended_at: new Date(ctx.clock()) }).onConflict('run_id').ignore(); // prettier-ignore
  return did;
}

interface WrittenEnd {
  /** A workflow holds the run, and it was not to be ended. */
  left: boolean;
  /** Undefined: the run has no row, since it only computed. */
  did?: RunEffects;
  /** What the call may cost is held. */
  charge?: OpenCharge;
}

async function writeEnd(ctx: TxCtx, runId: string, state: RunEndState, which: 'any' | 'calls'): Promise<WrittenEnd> {
  const { rows } = await ctx.db
    .raw<{ rows: { durable: boolean | null; ended: boolean; charge: OpenCharge | null }[] }>(
      `with known as (
       select run_id, state, kind <> 'call' as durable from runs where run_id = :runId for update
     ), ended as (
       update runs r set state = :state, ended_at = now() from known k
       where r.run_id = k.run_id and k.state = any(:before) and (:anyKind or not k.durable) returning r.run_id
     ), held as (${OPEN_CHARGE})
     select durable, exists (select 1 from ended) as ended, charge from (select 1) one left join known on true left join held on true`,
      { runId, state, before: statesBefore(state), anyKind: which === 'any' },
    )
    .options({ name: 'write_run_end' });
  const [row] = rows;
  const charge = row?.charge ? { charge: row.charge } : {};
  if (!row || row.durable === null) return { left: false, ...charge };
  if (row.durable && which === 'calls') return { left: true };
  if (row.ended) await releaseResources(ctx, runId, state);
  return { left: false, did: await effectsOf(ctx.db, runId), ...charge };
}

async function releaseResources(ctx: TxCtx, runId: string, state: RunEndState): Promise<void> {
  await closePatches(ctx, runId, state === 'succeeded' ? 'commit' : 'reject', state === 'succeeded' ? null : `run_${state}`);
  // The workflow of a wait is the one writer of its outcome.
  for (const { wait_id } of await ctx.db('waits').where({ run_id: runId, state: 'pending' }).select('wait_id')) {
    await signalWorkflow(ctx, workflowOf(wait_id), 'withdraw');
  }
  await revokeGrantsOfRun(ctx, runId, 'its run has ended');
  await audit(ctx, `run.${state}`, { run: runId });
  afterCommit(ctx.db, (db) => void removeSandboxesOf({ ...ctx, db }, runId).catch(() => undefined));
}

const STATUS: Readonly<Record<RunEndState, ReceiptPayload['status']>> = { succeeded: 'ok', failed: 'error', cancelled: 'cancelled' };

async function effectsOf(tx: Knex.Transaction, runId: string): Promise<RunEffects> {
  const calls = await upTo(MOST_CALLS, tx('runs').where({ parent_run_id: runId }).orderBy('started_at'));
  const patches = await upTo(MOST_FILES, tx('patches').where({ run_id: runId, state: 'committed' }).orderBy('path'));
  const reads = await upTo(MOST_FILES, tx('run_reads').where({ run_id: runId }).orderBy(['path', 'at']));
  // Those that it handed on are in its handoffs.
  const grants = await upTo(MOST_FILES, tx('grants').where({ run_id: runId }).whereNot('kind', 'delegate').orderBy(['issued_at', 'grant_id']));
  const waits = await upTo(MAX_RECEIPT_DECISIONS, tx('waits').where({ run_id: runId }).orderBy(['created_at', 'wait_id']));
  const denials = await upTo(MAX_RECEIPT_DENIALS, denialsOfRun(tx, runId));
  const [read, changed] = [named(reads.rows), named(patches.rows)];
  return {
    grants: grants.rows.map(({ grant_id }) => grant_id),
    decisions: waits.rows.map((wait) => ({
      wait_id: wait.wait_id,
      kind: wait.kind,
      // One that nobody has decided is withdrawn with its run.
      state: wait.state === 'pending' ? 'cancelled' : wait.state,
      arguments_sha256: argumentsSha256(wait),
      by: wait.resolved_by,
    })),
    denials: denials.rows,
    handoffs: calls.rows.map(({ agent_name, skill, grant_id, receipt_id, state }) => ({
      agent: agent_name,
      skill,
      grant_id,
      receipt_id,
      // One that has not ended is cancelled with its caller.
      status: state === 'succeeded' || state === 'failed' ? STATUS[state] : 'cancelled',
    })),
    files: [
      ...read.map(({ path, sha256, size_bytes }) => ({ path, operation: 'read' as const, sha256, size_bytes })),
      ...changed.map((patch) => ({
        path: patch.path,
        operation: patch.operation === 'delete' ? ('delete' as const) : ('write' as const),
        sha256: patch.sha256,
        size_bytes: patch.operation === 'delete' ? null : patch.size_bytes,
      })),
    ],
    leftOut: {
      grants: grants.more,
      files_read: reads.rows.length - read.length + reads.more,
      files_changed: patches.rows.length - changed.length + patches.more,
      handoffs: calls.more,
      denials: denials.more,
      decisions: waits.more,
    },
  };
}

/** The first of them, until their paths are too many bytes. */
function named<T extends { path: string }>(files: readonly T[]): readonly T[] {
  let left = MOST_PATH_BYTES;
  const end = files.findIndex(({ path }) => (left -= Buffer.byteLength(path)) < 0);
  return end === -1 ? files : files.slice(0, end);
}

async function signReceipt(ctx: TxCtx, call: CallFacts, outcome: Outcome, did: RunEffects | undefined, held: OpenCharge | undefined): Promise<Receipt> {
  const facts = receiptFacts(ctx, call, outcome);
  const charge = held && (await chargeOf(ctx.db, held, { status: facts.status, durationMs: durationMs(facts) }));
  // Accounts of persons have no such rules.
  const { approvals, more } =
    did && call.run.user_id !== null && isOrganizationId(call.run.user_id) ? await approvalsOfRun(ctx.db, call.run.run_id) : { approvals: [], more: 0 };
  const grants = [...new Set([...(facts.grants ?? []), ...(did?.grants ?? [])])];
  const receipt = await appendReceipt(ctx, { ...facts, ...did, grants, approvals, leftOut: { ...did?.leftOut, approvals: more }, ...(charge && { charge }) });
  if (held && charge) settleCharge(ctx, held, charge, receipt.receipt_id);
  if (did) await ctx.db('runs').where({ run_id: call.run.run_id }).update({ receipt_id: receipt.receipt_id });
  return receipt;
}

/** Of a call that ends now and only computed. */
export function receiptFacts(
  ctx: Pick<Ctx, 'clock'>,
  { caller, route, skill, inputSha256, startedAt, run, grantId }: CallFacts,
  outcome: Outcome,
): ReceiptFacts {
  return {
    agent: { id: route.agentId, name: route.agentName, version: route.version, image: route.image || null },
    deployId: route.deployId,
    jobId: run.job_id,
    runId: run.run_id,
    trace: traceColumns(run),
    purpose: run.purpose ?? null,
    caller,
    skill,
    inputSha256,
    outputSha256: outcome.state === 'succeeded' ? outcome.outputSha256 : null,
    status: STATUS[outcome.state],
    errorCode: outcome.state === 'succeeded' ? null : outcome.error.code,
    startedAt,
    endedAt: ctx.clock(),
    runtime: route.runtime,
    grants: grantId === null ? [] : [grantId],
  };
}

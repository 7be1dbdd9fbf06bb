// A run ends: what it staged is committed or thrown away, what it held is taken back, whom it asked need not answer.
import type { Knex } from 'knex';
import type { ReceiptFacts } from '../../evidence/receipt/seal.ts';
import { afterCommit } from '../../kernel/after-commit.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { revokeGrantsOfRun } from '../../workspace/grant/revoke.ts';
import { settlePatches } from '../../workspace/patch/settle.ts';
import { removeSandboxesOf } from '../sandbox/remove.ts';
import { workflowOf } from '../wait/model.ts';

export type RunEndState = 'succeeded' | 'failed' | 'cancelled';

/** What a run did besides computing, for its receipt. */
export type RunFacts = Required<Pick<ReceiptFacts, 'files' | 'handoffs'>>;

/**
 * Undefined for a run without a row: it only computed, and this one statement found nothing. A run that has ended already stays as it is;
 * its facts are told again.
 */
export async function endRun(tx: Knex.Transaction, ctx: Ctx, runId: string, outcome: RunEndState): Promise<RunFacts | undefined> {
  const ended = await endUnlessDurable(tx, ctx, runId, outcome, { durableToo: true });
  return ended === 'durable' ? undefined : ended;
}

/** The same for whoever called and has heard the end, unless the run has become its workflow's own: that ends it. */
export async function endUnlessDurable(
  tx: Knex.Transaction,
  ctx: Ctx,
  runId: string,
  outcome: RunEndState,
  { durableToo = false } = {},
): Promise<RunFacts | 'durable' | undefined> {
  const { rows } = await tx.raw<{ rows: { was: string; left_alone: boolean }[] }>(
    `with known as (
       select run_id, state, not :durableToo and exists (select 1 from jobs j where j.workflow_id = 'run:' || :runId) as left_alone
       from runs where run_id = :runId for update
     ), ended as (
       update runs r set state = :outcome, ended_at = now() from known k
       where r.run_id = k.run_id and r.ended_at is null and not k.left_alone returning r.run_id
     )
     select state as was, left_alone from known`,
    { runId, outcome, durableToo },
  );
  const [row] = rows;
  if (!row) return undefined;
  if (row.left_alone) return 'durable';
  if (row.was === 'running' || row.was === 'waiting') await settle(tx, ctx, runId, outcome);
  return factsOf(tx, runId);
}

async function settle(tx: Knex.Transaction, ctx: Ctx, runId: string, outcome: RunEndState): Promise<void> {
  await settlePatches(tx, ctx, runId, outcome === 'succeeded' ? 'commit' : 'reject', outcome === 'succeeded' ? null : `run_${outcome}`);
  // Their workflows write what became of them: they have one writer.
  for (const { wait_id } of await tx('waits').where({ run_id: runId, state: 'pending' }).select('wait_id')) {
    await signalWorkflow(tx, ctx, workflowOf(wait_id), 'withdraw');
  }
  await revokeGrantsOfRun(tx, ctx, runId, 'its run has ended');
  await audit(tx, ctx, `run.${outcome}`, runId);
  afterCommit(tx, (db) => void removeSandboxesOf({ ...ctx, db }, runId).catch(() => undefined));
}

async function factsOf(tx: Knex.Transaction, runId: string): Promise<RunFacts> {
  const calls = await tx('runs').where({ parent_run_id: runId }).orderBy('started_at').limit(200);
  const patches = await tx('patches').where({ run_id: runId, state: 'committed' }).orderBy('path').limit(1000);
  return {
    handoffs: calls.map((call) => ({
      agent: call.agent_name,
      skill: call.skill,
      grant_id: call.grant_id,
      receipt_id: call.receipt_id,
      status: call.state === 'succeeded' ? 'ok' : call.state === 'failed' ? 'error' : 'cancelled',
    })),
    files: patches.map((patch) => ({
      path: patch.path,
      operation: patch.operation === 'delete' ? 'delete' : 'write',
      sha256: patch.sha256,
      size_bytes: patch.operation === 'delete' ? null : patch.size_bytes,
    })),
  };
}

// A look at a proof that is under way: it is concluded once its run has ended, and stopped where it may not
// go on. It may come at any time, and twice.
import type { Knex } from 'knex';
import type { AgentProofsRow, RunsRow } from '#db/tables.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { EndedJob } from '../../jobs/followers.ts';
import { afterCommit } from '../../kernel/after-commit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { storableJson } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { askToStop } from '../../jobs/ask-to-stop.ts';
import { jobOfRun } from '../../jobs/of-run.ts';
import { concludeProof, endUnsigned } from './conclude.ts';
import { spentIn, runTreeSql } from './spent.ts';

/**
 * Its run says when it ends; this is how often the proof looks whether it asks somebody, and what it costs:
 * more rarely the longer it lasts.
 */
const PAUSE_MS = { least: 250, usual: 5_000, most: 60_000 } as const;
const PAUSE_PART = 1 / 20;

/** Milliseconds until the next look; null: it has ended. */
export async function advanceProof(ctx: Ctx, proofId: string): Promise<number | null> {
  return system(ctx, async (ctx) => {
    const proof = await openProof(ctx.db, proofId);
    if (!proof) return null;
    const run = await ctx.db('runs').where({ run_id: proof.run_id ?? '' }).first(); // prettier-ignore
    if (!run) {
      await endUnsigned(ctx, proof, { code: 'run_not_found', message: 'The run of the proof is no longer kept: run the proof again' });
      return null;
    }
    if (!isOpenRun(run)) {
      await concludeProof(ctx, proof, run);
      return null;
    }
    if (proof.error === null) {
      const fault = await reasonToStop(ctx, proof, run);
      if (fault) await stop(ctx, proof, fault);
    }
    const left = proof.deadline_at.getTime() - ctx.clock();
    return pauseOfProof(proof.deadline_seconds * 1000 - left, left);
  });
}

/** Until the next look at a proof that has lasted, and has left, so many milliseconds. */
export function pauseOfProof(lasted: number, left: number): number {
  if (left <= 0) return PAUSE_MS.most;
  return Math.max(PAUSE_MS.least, Math.min(left, PAUSE_MS.most, Math.max(PAUSE_MS.usual, Math.round(lasted * PAUSE_PART))));
}

/**
 * Its run ends: the verdict does not wait for the signal that its workflow gets, which repeats this where the
 * process dies.
 */
export async function advanceProofSoon(ctx: TxCtx, { run_id, parent_job_id }: EndedJob): Promise<void> {
  // The run of a proof is begun by its job.
  if (run_id === null || parent_job_id === null) return;
  const proof = await ctx.db('agent_proofs').where({ run_id, status: 'running' }).first('proof_id');
  if (proof)
    afterCommit(ctx.db, (db) => void advanceProof({ ...ctx, db, actor: { kind: 'platform', service: 'proofs' } }, proof.proof_id).catch(() => undefined));
}

/** On request. It ends, without a verdict, when its run has. */
export async function cancelProof(ctx: Ctx, proofId: string): Promise<void> {
  // The cancellation of its job asked who may, and wrote the row.
  await system(ctx, async (ctx) => {
    const proof = await openProof(ctx.db, proofId);
    if (proof) await stop(ctx, proof, { code: 'cancelled', message: 'The proof was cancelled' });
  });
}

/** Its workflow is gone. */
export async function abandonProof(ctx: Ctx, job_id: string, fault: Fault): Promise<void> {
  await system(ctx, async (ctx) => {
    const proof = await ctx.db('agent_proofs').where({ job_id, status: 'running' }).forUpdate().first(); // prettier-ignore
    if (!proof) return;
    await stop(ctx, proof, fault);
    await endUnsigned(ctx, proof, fault);
  });
}

async function openProof(tx: Knex.Transaction, proofId: string): Promise<AgentProofsRow | undefined> {
  return tx('agent_proofs').where({ proof_id: proofId, status: 'running' }).forUpdate().first();
}

async function reasonToStop(ctx: TxCtx, proof: AgentProofsRow, run: RunsRow): Promise<Fault | undefined> {
  if (proof.deadline_at.getTime() <= ctx.clock())
    return { code: 'proof_deadline', message: `The run did not end within the ${proof.deadline_seconds} s of the proof` };
  const { known } = await spentIn(ctx.db, run.run_id);
  if (known > proof.budget_micros)
    return { code: 'proof_over_budget', message: `The models that it asked cost ${known} micro-dollars, more than the ${proof.budget_micros} of the proof` };
  const { rows } = await ctx.db.raw<{ rows: unknown[] }>(
    `with recursive ${runTreeSql} select 1 from waits where state = 'pending' and run_id in (select run_id from tree) limit 1`,
    { run: run.run_id },
  );
  return rows.length > 0 ? { code: 'asked_a_person', message: 'The skill asks a user: give arguments with which it asks no question' } : undefined;
}

async function stop(ctx: TxCtx, proof: AgentProofsRow, fault: Fault): Promise<void> {
  const noted = await ctx.db('agent_proofs').where({ proof_id: proof.proof_id, status: 'running' }).whereNull('error').update({ error: storableJson(fault) }); // prettier-ignore
  if (noted === 0) return;
  if (proof.job_id !== null) await appendEvent(ctx.db, proof.job_id, 'proof.stopped', { error: fault });
  const job = proof.run_id === null ? undefined : await jobOfRun(ctx.db, proof.run_id);
  await askToStop(ctx, job, 'proof');
}

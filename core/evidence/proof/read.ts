// The proofs that a person ran.
import type { Knex } from 'knex';
import type { ProofDetailOut, ProofOut } from '#contract/quality/agent-proofs.ts';
import type { ProofState } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { requireUser, whereMay } from '../../kernel/policy.ts';
import { setting } from '../../kernel/settings.ts';
import { presentProofDetail, presentOwnProof, type ProofView } from './present.ts';
import type { Now } from './stale.ts';

export interface ListProofsIn {
  limit: number;
  cursor?: string | undefined;
  agent?: string | undefined;
  status?: ProofState | undefined;
}

/** Newest first. */
export async function listProofs(ctx: Ctx, i: ListProofsIn): Promise<Page<ProofOut>> {
  const { user_id } = requireUser(ctx, 'proof.read');
  const query = proofs(ctx.db)
    .where({ 'p.owner_id': user_id })
    .orderBy('p.proof_id', 'desc')
    .limit(i.limit + 1);
  if (i.agent !== undefined) void query.where({ 'p.agent_name': i.agent });
  if (i.status !== undefined) void query.where({ 'p.status': i.status });
  if (i.cursor !== undefined) void query.where('p.proof_id', '<', decodeCursor(i.cursor, ['string'])[0]);
  const now = await nowOf(ctx);
  return toPage(
    await query.select<ProofView[]>(...PROOF_COLUMNS),
    i.limit,
    (row) => presentOwnProof(row, now),
    ({ proof_id }) => [proof_id],
  );
}

/** @throws NotFound proof_not_found, also for proofs of other users */
export async function getProof(ctx: Ctx, i: { proof_id: string }): Promise<ProofDetailOut> {
  const [row] = await proofs(ctx.db)
    .where({ 'p.proof_id': i.proof_id })
    .where(whereMay(ctx.actor, 'proof.read', { owner: 'p.owner_id' }))
    .select<ProofView[]>(...PROOF_COLUMNS);
  if (!row) throw new NotFound('proof_not_found', `You have run no proof ${i.proof_id}`);
  return presentProofDetail(row, await receiptOf(ctx.db, row), await nowOf(ctx));
}

/** Rows `p` with what runs now of their agents. */
export function proofs(db: Knex) {
  return db('agent_proofs as p').join('agents as a', 'a.agent_id', 'p.agent_id');
}

/** What is read of them: `select<ProofView[]>(...PROOF_COLUMNS)`. */
export const PROOF_COLUMNS = ['p.*', 'a.live_deploy_id'] as const;

export async function receiptOf(db: Knex, { receipt_id }: Pick<ProofView, 'receipt_id'>): Promise<string | null> {
  return receipt_id === null ? null : ((await db('receipts').where({ receipt_id }).first('token'))?.token ?? null);
}

export async function nowOf(ctx: Ctx): Promise<Omit<Now, 'liveDeployId'>> {
  return { at: ctx.clock(), maxAgeDays: await setting(ctx.db, 'proof_max_age_days') };
}

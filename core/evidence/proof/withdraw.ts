import type { ProofDetailOut } from '#contract/quality/agent-proofs.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { type Action, whereMay } from '../../kernel/policy.ts';
import { storableText } from '../../kernel/storable.ts';
import { getProof } from './read.ts';

/**
 * Once and for good: a withdrawn proof is withdrawn whatever is asked again. @throws NotFound
 * proof_not_found; Conflict proof_not_published
 */
export async function withdrawProof(ctx: Ctx, i: { proof_id: string; reason: string }): Promise<ProofDetailOut> {
  await act(ctx, 'proof.withdraw', proofToWithdraw(i.proof_id), async (ctx, row) => {
    if (!row.published || row.token === null)
      throw new Conflict('proof_not_published', `${i.proof_id} is not published, or has not ended: there is nothing to withdraw`);
    const withdrawn = await ctx
      .db('agent_proofs')
      .where({ proof_id: i.proof_id })
      .whereNull('withdrawn_at')
      .update({ withdrawn_at: new Date(ctx.clock()), withdrawn_reason: storableText(i.reason) });
    if (withdrawn === 0) return unchanged(undefined);
    return done({ proof: i.proof_id }, { agent: row.agent_name, status: row.status, reason: i.reason });
  });
  return getProof(ctx, i);
}

function proofToWithdraw(proof_id: string) {
  return async ({ db, actor }: TxCtx, action: Action) => {
    const row = await db('agent_proofs as p')
      .where({ 'p.proof_id': proof_id })
      .where(whereMay(actor, action, { owner: 'p.owner_id' }))
      .forUpdate()
      .first('p.published', 'p.token', 'p.agent_name', 'p.status');
    if (!row) throw new NotFound('proof_not_found', `You have run no proof ${proof_id}`);
    return row;
  };
}

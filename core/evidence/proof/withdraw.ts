import type { ProofDetailOut } from '#contract/quality/agent-proofs.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { requireUser, whereMay } from '../../kernel/policy.ts';
import { storableText } from '../../kernel/storable.ts';
import { inTx } from '../../kernel/tx.ts';
import { getProof } from './read.ts';

/**
 * Once and for good: a withdrawn proof is withdrawn whatever is asked again. @throws NotFound
 * proof_not_found; Conflict proof_not_published
 */
export async function withdrawProof(ctx: Ctx, i: { proof_id: string; reason: string }): Promise<ProofDetailOut> {
  requireUser(ctx, 'proof.withdraw');
  await inTx(ctx, async (ctx) => {
    const row = await ctx
      .db('agent_proofs as p')
      .where({ 'p.proof_id': i.proof_id })
      .where(whereMay(ctx.actor, 'proof.withdraw', { owner: 'p.owner_id' }))
      .forUpdate()
      .first('p.published', 'p.token', 'p.agent_name', 'p.status');
    if (!row) throw new NotFound('proof_not_found', `You have run no proof ${i.proof_id}`);
    if (!row.published || row.token === null)
      throw new Conflict('proof_not_published', `${i.proof_id} is not published, or has not ended: there is nothing to withdraw`);
    const withdrawn = await ctx
      .db('agent_proofs')
      .where({ proof_id: i.proof_id })
      .whereNull('withdrawn_at')
      .update({ withdrawn_at: new Date(ctx.clock()), withdrawn_reason: storableText(i.reason) });
    if (withdrawn > 0) await audit(ctx, 'proof.withdraw', { proof: i.proof_id }, { agent: row.agent_name, status: row.status, reason: i.reason });
  });
  return getProof(ctx, i);
}

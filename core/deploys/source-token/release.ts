// Ending source tokens before their time.
import type { Knex } from 'knex';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { may } from '../../kernel/policy.ts';
import { inTx } from '../../kernel/tx.ts';

/** Idempotent: an unknown, released or expired token does not exist afterwards either. */
export async function releaseScmToken(ctx: Ctx, i: { token_name: string }): Promise<void> {
  await inTx(ctx, async (ctx) => {
    if (!may(ctx.actor, 'source_token.release', { owner: null })) throw new Forbidden('wrong_scope', 'Only a service of the platform releases tokens by name');
    const released = await ctx
      .db('source_tokens')
      .where({ token_name: i.token_name })
      .whereNull('revoked_at')
      .update({ revoked_at: new Date(ctx.clock()) });
    if (released > 0) await audit(ctx, 'source_token.release', { source_token: i.token_name });
  });
}

/** All of an agent, or those of one holder. In the caller's transaction, whose verb is audited. */
export async function endSourceTokens(tx: Knex.Transaction, of: { agent_id: string; holder?: 'editor' }): Promise<void> {
  await tx('source_tokens')
    .where(of)
    .whereNull('revoked_at')
    .update({ revoked_at: tx.raw('now()') });
}

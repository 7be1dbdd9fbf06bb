// Ending source tokens before their time.
import type { Knex } from 'knex';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { type Action, may } from '../../kernel/policy.ts';

/** Idempotent: an unknown, released or expired token does not exist afterwards either. */
export async function releaseScmToken(ctx: Ctx, i: { token_name: string }): Promise<void> {
  await act(ctx, 'source_token.release', requireService, async (ctx) => {
    const released = await ctx
      .db('source_tokens')
      .where({ token_name: i.token_name })
      .whereNull('revoked_at')
      .update({ revoked_at: new Date(ctx.clock()) });
    return released > 0 ? done({ source_token: i.token_name }, {}) : unchanged(undefined);
  });
}

function requireService({ actor }: Pick<Ctx, 'actor'>, action: Action): void {
  if (!may(actor, action, { owner: null })) throw new Forbidden('wrong_scope', 'Only a service of the platform releases tokens by name');
}

/** All of an agent, or those of one holder. In the caller's transaction, whose verb is audited. */
export async function endSourceTokens(tx: Knex.Transaction, of: { agent_id: string; holder?: 'editor' }): Promise<void> {
  await tx('source_tokens')
    .where(of)
    .whereNull('revoked_at')
    .update({ revoked_at: tx.raw('now()') });
}

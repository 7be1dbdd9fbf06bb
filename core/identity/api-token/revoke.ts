import { agentFor } from '../../agents/agent/find.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { inTx } from '../../kernel/tx.ts';
import { openTokens } from './open.ts';

/** The next call with it is refused: no part of the platform keeps an agent's token in memory. */
export async function revokeApiToken(ctx: Ctx, i: { name: string; token_id: number }): Promise<void> {
  await inTx(ctx, async (ctx) => {
    const { agent_id } = await agentFor(ctx.db, ctx.actor, 'agent_api_token.revoke', i.name);
    const now = ctx.clock();
    const [revoked] = await openTokens(ctx.db, agent_id, now)
      .where({ number: i.token_id })
      .update({ revoked_at: new Date(now) })
      .returning('token_id');
    if (!revoked) throw new NotFound('token_not_found', `${i.name} has no open token ${i.token_id}: list its tokens`);
    await audit(ctx, 'agent_api_token.revoke', { agent_api_token: revoked.token_id }, { agent_id });
  });
}

import { agentNamed } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { openTokens } from './open.ts';

/** The next call with it is refused: no part of the platform keeps an agent's token in memory. */
export async function revokeApiToken(ctx: Ctx, i: { name: string; token_id: number }): Promise<void> {
  await act(ctx, 'agent_api_token.revoke', agentNamed(i.name), async (ctx, { agent_id }) => {
    const now = ctx.clock();
    const [revoked] = await openTokens(ctx.db, agent_id, now)
      .where({ number: i.token_id })
      .update({ revoked_at: new Date(now) })
      .returning('token_id');
    if (!revoked) throw new NotFound('token_not_found', `${i.name} has no open token ${i.token_id}: list its tokens`);
    return done({ agent_api_token: revoked.token_id }, { agent_id });
  });
}

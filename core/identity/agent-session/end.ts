// The person signs out of one agent; the platform's own session stays.
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { hashSecret } from '../../kernel/secret.ts';

/** False when there was nothing to end. */
export async function endAgentSession(ctx: Ctx, { agentId, token }: { agentId: string; token: string }): Promise<boolean> {
  // The session token is the right to it.
  return system(ctx, async (ctx) => {
    const [ended] = await ctx
      .db('platform_tokens')
      .where({ token_hash: hashSecret(token), kind: 'agent_session', agent_id: agentId })
      .whereNull('revoked_at')
      .update({ revoked_at: new Date(ctx.clock()) })
      .returning('token_id');
    if (ended) await audit(ctx, 'agent_session.end', { agent_session: ended.token_id }, { agent_id: agentId });
    return ended !== undefined;
  });
}

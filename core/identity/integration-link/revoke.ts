import { agentFor } from '../../agents/agent/find.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { inTx } from '../../kernel/tx.ts';
import { openTokens } from '../api-token/open.ts';

/** The next call with its token is refused. */
export async function revokeIntegrationLink(ctx: Ctx, i: { name: string; link_id: number }): Promise<void> {
  await inTx(ctx, async (ctx) => {
    const { agent_id } = await agentFor(ctx.db, ctx.actor, 'integration_link.revoke', i.name);
    const now = ctx.clock();
    const [revoked] = await openTokens(ctx.db, agent_id, now, 'link')
      .where({ number: i.link_id })
      .update({ revoked_at: new Date(now) })
      .returning('token_id');
    if (!revoked) throw new NotFound('link_not_found', `${i.name} has no open integration link ${i.link_id}: list its links`);
    await audit(ctx, 'integration_link.revoke', { integration_link: revoked.token_id }, { agent_id });
  });
}

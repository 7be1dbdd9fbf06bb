import { agentNamed } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { openTokens } from '../api-token/open.ts';

/** The next call with its token is refused. */
export async function revokeIntegrationLink(ctx: Ctx, i: { name: string; link_id: number }): Promise<void> {
  await act(ctx, 'integration_link.revoke', agentNamed(i.name), async (ctx, { agent_id }) => {
    const now = ctx.clock();
    const [revoked] = await openTokens(ctx.db, agent_id, now, 'link')
      .where({ number: i.link_id })
      .update({ revoked_at: new Date(now) })
      .returning('token_id');
    if (!revoked) throw new NotFound('link_not_found', `${i.name} has no open integration link ${i.link_id}: list its links`);
    return done({ integration_link: revoked.token_id }, { agent_id });
  });
}

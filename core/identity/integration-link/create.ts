import type { z } from 'zod';
import { AgentIntegrationLinkCreateIn, type AgentIntegrationLinkCreatedOut, LINK_DAYS, MAX_INTEGRATION_LINKS } from '#contract/identity/integration-links.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { inTx } from '../../kernel/tx.ts';
import { countOpenTokens, storeToken } from '../api-token/store.ts';
import { presentNewLink } from './present.ts';

type LinkRequest = z.infer<typeof AgentIntegrationLinkCreateIn>;

/** Without `link` one for addresses, with the defaults. @throws Forbidden link_limit */
export async function createIntegrationLink(
  ctx: Ctx,
  i: { name: string; link?: LinkRequest | null | undefined },
): Promise<z.infer<typeof AgentIntegrationLinkCreatedOut>> {
  const user = requireUser(ctx, 'integration_link.create');
  const { label, scopes, token_placement: placement, expires_in_days: days = LINK_DAYS[placement] } = i.link ?? AgentIntegrationLinkCreateIn.parse({});
  return inTx(ctx, async (ctx) => {
    const agent = await agentFor(ctx.db, user, 'integration_link.create', i.name);
    const { agent_id } = agent;
    const now = ctx.clock();
    if ((await countOpenTokens(ctx.db, agent_id, now, 'link')) >= MAX_INTEGRATION_LINKS)
      throw new Forbidden('link_limit', `An agent has at most ${MAX_INTEGRATION_LINKS} open links: revoke some first`);
    const { token, tokenId, row } = await storeToken(ctx.db, user, now, { agentId: agent_id, label, scopes, days, placement });
    await audit(ctx, 'integration_link.create', { integration_link: tokenId }, { agent_id, label, scopes, expires_in_days: days, token_placement: placement });
    return presentNewLink(ctx.config, agent, row, token);
  });
}

import type { z } from 'zod';
import { AgentIntegrationLinkCreateIn, type AgentIntegrationLinkCreatedOut, LINK_DAYS, MAX_INTEGRATION_LINKS } from '#contract/identity/integration-links.ts';
import { agentNamed } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { countOpenTokens, storeToken } from '../api-token/store.ts';
import { presentNewLink } from './present.ts';

type LinkRequest = z.infer<typeof AgentIntegrationLinkCreateIn>;

/** Without `link` one for addresses, with the defaults. @throws Forbidden link_limit */
export async function createIntegrationLink(
  ctx: Ctx,
  i: { name: string; link?: LinkRequest | null | undefined },
): Promise<z.infer<typeof AgentIntegrationLinkCreatedOut>> {
  const { label, scopes, token_placement: placement, expires_in_days: days = LINK_DAYS[placement] } = i.link ?? AgentIntegrationLinkCreateIn.parse({});
  return act(ctx, 'integration_link.create', agentNamed(i.name), async (ctx, agent) => {
    const { agent_id, owner_id } = agent;
    const now = ctx.clock();
    if ((await countOpenTokens(ctx.db, agent_id, now, 'link')) >= MAX_INTEGRATION_LINKS)
      throw new Forbidden('link_limit', `An agent has at most ${MAX_INTEGRATION_LINKS} open links: revoke some first`);
    const { token, tokenId, row } = await storeToken(ctx.db, { user_id: owner_id }, now, { agentId: agent_id, label, scopes, days, placement });
    const facts = { agent_id, label, scopes, expires_in_days: days, token_placement: placement };
    return done({ integration_link: tokenId }, facts, presentNewLink(ctx.config, agent, row, token));
  });
}

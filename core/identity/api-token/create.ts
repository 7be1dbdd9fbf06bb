import type { z } from 'zod';
import { type AgentApiTokenCreatedOut, type AgentApiTokenCreateIn, MAX_API_TOKENS } from '#contract/identity/agent-api-tokens.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { inTx } from '../../kernel/tx.ts';
import { presentApiToken } from './open.ts';
import { countOpenTokens, storeToken } from './store.ts';

/** @throws BadRequest token_limit */
export async function createApiToken(ctx: Ctx, i: { name: string } & z.infer<typeof AgentApiTokenCreateIn>): Promise<z.infer<typeof AgentApiTokenCreatedOut>> {
  const user = requireUser(ctx, 'agent_api_token.create');
  return inTx(ctx, async (ctx) => {
    const { agent_id } = await agentFor(ctx.db, user, 'agent_api_token.create', i.name);
    const now = ctx.clock();
    if ((await countOpenTokens(ctx.db, agent_id, now, 'api')) >= MAX_API_TOKENS)
      throw new BadRequest('token_limit', `An agent has at most ${MAX_API_TOKENS} open tokens: revoke some first`);
    const { label, scopes, expires_in_days } = i;
    const { token, tokenId, row } = await storeToken(ctx.db, user, now, { agentId: agent_id, label, scopes, days: expires_in_days, placement: null });
    await audit(ctx, 'agent_api_token.create', { agent_api_token: tokenId }, { agent_id, label, scopes, expires_in_days });
    return { ...presentApiToken(row), token };
  });
}

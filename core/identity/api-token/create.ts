import type { z } from 'zod';
import { type AgentApiTokenCreatedOut, type AgentApiTokenCreateIn, MAX_API_TOKENS } from '#contract/identity/agent-api-tokens.ts';
import { agentNamed } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { presentApiToken } from './open.ts';
import { countOpenTokens, storeToken } from './store.ts';

/** @throws BadRequest token_limit */
export async function createApiToken(ctx: Ctx, i: { name: string } & z.infer<typeof AgentApiTokenCreateIn>): Promise<z.infer<typeof AgentApiTokenCreatedOut>> {
  return act(ctx, 'agent_api_token.create', agentNamed(i.name), async (ctx, { agent_id, owner_id }) => {
    const now = ctx.clock();
    if ((await countOpenTokens(ctx.db, agent_id, now, 'api')) >= MAX_API_TOKENS)
      throw new BadRequest('token_limit', `An agent has at most ${MAX_API_TOKENS} open tokens: revoke some first`);
    const { label, scopes, expires_in_days: days } = i;
    const { token, tokenId, row } = await storeToken(ctx.db, { user_id: owner_id }, now, { agentId: agent_id, label, scopes, days, placement: null });
    return done({ agent_api_token: tokenId }, { agent_id, label, scopes, expires_in_days: days }, { ...presentApiToken(row), token });
  });
}

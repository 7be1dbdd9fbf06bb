import type { z } from 'zod';
import type { AgentApiTokenOut } from '#contract/identity/agent-api-tokens.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { openTokens, presentApiToken, apiTokenColumns } from './open.ts';

export async function listApiTokens(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentApiTokenOut>[]> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'agent_api_token.list', i.name);
  const rows = await openTokens(ctx.db, agent_id, ctx.clock())
    .orderBy('number', 'desc')
    .select(...apiTokenColumns);
  return rows.map(presentApiToken);
}

import type { z } from 'zod';
import type { AgentIntegrationLinkOut } from '#contract/identity/integration-links.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { openTokens, apiTokenColumns } from '../api-token/open.ts';
import { presentLink } from './present.ts';

export async function listIntegrationLinks(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentIntegrationLinkOut>[]> {
  const agent = await agentFor(ctx.db, ctx.actor, 'integration_link.list', i.name);
  const rows = await openTokens(ctx.db, agent.agent_id, ctx.clock(), 'link')
    .orderBy('number', 'desc')
    .select(...apiTokenColumns);
  return rows.map((row) => presentLink(ctx.config, agent, row));
}

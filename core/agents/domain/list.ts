import type { z } from 'zod';
import { type AgentCustomDomainOut, MAX_DOMAINS } from '#contract/agents/domains.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { agentFor } from '../agent/find.ts';
import { presentDomains } from './present.ts';

export async function listDomains(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentCustomDomainOut>[]> {
  const agent = await agentFor(ctx.db, ctx.actor, 'domain.list', i.name);
  const rows = await ctx.db('agent_domains').where({ agent_id: agent.agent_id }).whereNot({ state: 'removed' }).orderBy('hostname').limit(MAX_DOMAINS);
  return presentDomains(ctx, agent, rows);
}

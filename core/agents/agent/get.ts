import type { z } from 'zod';
import type { AgentDetailOut, AgentMineOut } from '#contract/agents/agents.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { agentFor } from './find.ts';
import { pricesOfAgent } from './prices.ts';
import { presentAgentDetail, presentMine } from './present.ts';

export async function getAgent(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentDetailOut>> {
  const user = requireUser(ctx, 'agent.read');
  const agent = await agentFor(ctx.db, user, 'agent.read', i.name);
  return presentAgentDetail(ctx.config, user.user_id, agent, await pricesOfAgent(ctx.db, agent.agent_id));
}

export async function getMine(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentMineOut>> {
  return presentMine(ctx.config, await agentFor(ctx.db, ctx.actor, 'agent.inspect', i.name));
}

import type { z } from 'zod';
import type { AgentDetailOut, AgentMineOut } from '#contract/agents/agents.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { agentFor } from './find.ts';
import { presentDetail, presentMine } from './present.ts';

export async function getAgent(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentDetailOut>> {
  const user = requireUser(ctx, 'agent.read');
  return presentDetail(ctx.config, user.user_id, await agentFor(ctx.db, user, 'agent.read', i.name));
}

export async function getMine(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentMineOut>> {
  return presentMine(ctx.config, await agentFor(ctx.db, ctx.actor, 'agent.inspect', i.name));
}

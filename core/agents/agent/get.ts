import type { z } from 'zod';
import type { AgentDetailOut, AgentMineOut } from '#contract/agents/agents.ts';
import { requireUser } from '../../kernel/actors.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { ownedAgent, visibleAgent } from './find.ts';
import { presentDetail, presentMine } from './present.ts';

export async function getAgent(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentDetailOut>> {
  const user = requireUser(ctx);
  return presentDetail(ctx.config, user.user_id, await visibleAgent(ctx.db, user, i.name));
}

export async function getMine(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentMineOut>> {
  return presentMine(ctx.config, await ownedAgent(ctx.db, requireUser(ctx), i.name));
}

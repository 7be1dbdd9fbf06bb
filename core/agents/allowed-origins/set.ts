import type { z } from 'zod';
import type { AllowedOriginsIn, AllowedOriginsOut } from '#contract/agents/allowed-origins.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { agentNamed } from '../agent/find.ts';
import { routeChanged } from '../route/changed.ts';
import { presentOrigins } from './get.ts';

type In = { name: string } & z.infer<typeof AllowedOriginsIn>;

export async function setAllowedOrigins(ctx: Ctx, i: In): Promise<z.infer<typeof AllowedOriginsOut>> {
  return act(ctx, 'allowed_origins.set', agentNamed(i.name), async (ctx, agent) => {
    const allowed_origins = i.allowed_origins && [...new Set(i.allowed_origins)];
    await ctx
      .db('agents')
      .where({ agent_id: agent.agent_id })
      .update({ allowed_origins, updated_at: ctx.db.raw('now()') });
    await routeChanged(ctx.db, i.name);
    return done({ agent: agent.agent_id }, { allowed_origins }, await presentOrigins(ctx.db, { ...agent, allowed_origins }));
  });
}

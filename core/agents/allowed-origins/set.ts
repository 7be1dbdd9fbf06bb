import type { z } from 'zod';
import type { AllowedOriginsIn, AllowedOriginsOut } from '#contract/agents/allowed-origins.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { agentFor } from '../agent/find.ts';
import { routeChanged } from '../route/changed.ts';
import { presentOrigins } from './get.ts';

type In = { name: string } & z.infer<typeof AllowedOriginsIn>;

export async function setAllowedOrigins(ctx: Ctx, i: In): Promise<z.infer<typeof AllowedOriginsOut>> {
  return inTx(ctx, async (ctx) => {
    const agent = await agentFor(ctx.db, ctx.actor, 'allowed_origins.set', i.name);
    const allowed_origins = i.allowed_origins && [...new Set(i.allowed_origins)];
    await ctx
      .db('agents')
      .where({ agent_id: agent.agent_id })
      .update({ allowed_origins, updated_at: ctx.db.raw('now()') });
    await audit(ctx, 'allowed_origins.set', { agent: agent.agent_id }, { allowed_origins });
    await routeChanged(ctx.db, i.name);
    return presentOrigins(ctx.db, { ...agent, allowed_origins });
  });
}

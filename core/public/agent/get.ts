import type { z } from 'zod';
import type { PublicAgentDetailOut } from '#contract/public/public.ts';
import { pricesOfAgent } from '../../agents/agent/prices.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { listedAgent, presentPublicAgent } from './select.ts';

export async function getPublicAgent(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof PublicAgentDetailOut>> {
  const row = await listedAgent(ctx.db, i.name);
  if (!row) throw new NotFound('agent_not_found', `There is no public agent ${i.name}: list those you can see with "svc agents"`);
  return presentPublicAgent(ctx.config, row, await pricesOfAgent(ctx.db, row.agent_id));
}

import { agentNamed } from '../../agents/agent/find.ts';
import { routeChanged } from '../../agents/route/changed.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { livePrice } from './live.ts';
import { lockPrices } from './set.ts';

/** The skill costs nothing from now on. @throws NotFound agent_not_found, price_not_found */
export async function endPrice(ctx: Ctx, i: { name: string; skill: string }): Promise<void> {
  await act(ctx, 'price.end', agentNamed(i.name), async (ctx, { agent_id }) => {
    await lockPrices(ctx.db, agent_id, i.skill);
    const live = await livePrice(ctx.db, agent_id, i.skill);
    if (!live) throw new NotFound('price_not_found', `No price is set for ${i.skill} of ${i.name}`);
    const at = new Date(Math.max(ctx.clock(), live.valid_from.getTime()));
    await ctx.db('skill_prices').where({ price_id: live.price_id }).whereNull('valid_until').update({ valid_until: at });
    await routeChanged(ctx.db, i.name);
    return done({ agent: agent_id }, { skill: i.skill, price_id: live.price_id, version: live.version });
  });
}

// The nights of those brains that are switched on: once a day, from their hour on, in their time zone.
import type { BrainRuntimesRow } from '#db/tables.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { inOrder } from '../../kernel/in-order.ts';
import { localTime } from '../../kernel/local-time.ts';
import { runDispatches } from './dispatch.ts';
import { dream } from './dream.ts';

const A_PAGE = 50;
const MOST_STARTED = 5;

/** Resolves with how many nights were worked through. */
export async function brainNights(ctx: Ctx): Promise<number> {
  let nights = 0;
  const enabled = (after: string) => ctx.db('brain_runtimes').where({ enabled: true }).where('owner_id', '>', after).orderBy('owner_id').limit(A_PAGE);
  for await (const one of inOrder(({ owner_id }) => owner_id, enabled)) if (await night(ctx, one)) nights += 1;
  return nights;
}

async function night(ctx: Ctx, { owner_id, time_zone, daily_hour, last_night }: BrainRuntimesRow): Promise<boolean> {
  const { day, hour } = localTime(ctx.clock(), time_zone);
  if (last_night === day || hour < daily_hour) return false;
  // Another worker may be first.
  const taken = await ctx.db('brain_runtimes').where({ owner_id, enabled: true }).whereRaw('last_night is distinct from ?', [day]).update({ last_night: day }); // prettier-ignore
  if (taken === 0) return false;
  const actor: UserActor = { kind: 'user', user_id: owner_id, email: '', operator: false, via: 'bearer' };
  await dream({ ...ctx, actor });
  await runDispatches({ ...ctx, actor }, { limit: MOST_STARTED });
  return true;
}

// The daily looks of those accounts that have them: once a day, from their hour on, in their time zone.
import type { AutopilotsRow } from '#db/tables.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { inOrder } from '../../kernel/in-order.ts';
import { localTime } from '../../kernel/local-time.ts';
import { runAutopilot } from './look.ts';

const A_PAGE = 50;

/** Resolves with how many accounts were looked at. */
export async function autopilotDays(ctx: Ctx): Promise<number> {
  let days = 0;
  const enabled = (after: string) => ctx.db('autopilots').where({ enabled: true }).where('owner_id', '>', after).orderBy('owner_id').limit(A_PAGE);
  for await (const one of inOrder(({ owner_id }) => owner_id, enabled)) if (await day(ctx, one)) days += 1;
  return days;
}

async function day(ctx: Ctx, { owner_id, time_zone, daily_hour, last_day }: AutopilotsRow): Promise<boolean> {
  const { day: today, hour } = localTime(ctx.clock(), time_zone);
  if (last_day === today || hour < daily_hour) return false;
  // Another worker may be first.
  const taken = await ctx.db('autopilots').where({ owner_id, enabled: true }).whereRaw('last_day is distinct from ?', [today]).update({ last_day: today }); // prettier-ignore
  if (taken === 0) return false;
  const actor: UserActor = { kind: 'user', user_id: owner_id, email: '', operator: false, via: 'bearer' };
  await runAutopilot({ ...ctx, actor });
  return true;
}

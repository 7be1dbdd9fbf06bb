// Whether the agents of an account are looked at each day, and when.
import type { AutopilotIn, AutopilotOut } from '#contract/studio/autopilot.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { countOpen } from './proposal.ts';

const DEFAULTS = { enabled: false, daily_hour: 9, time_zone: 'UTC', last_day: null };

export async function readAutopilot(ctx: Ctx): Promise<AutopilotOut> {
  const { user_id } = requireUser(ctx, 'autopilot.read');
  return shown(ctx, user_id);
}

export async function setAutopilot(ctx: Ctx, { enabled, daily_hour, time_zone }: AutopilotIn): Promise<AutopilotOut> {
  return act(ctx, 'autopilot.set', requireUser, async (ctx, { user_id }) => {
    const set = { enabled, daily_hour, time_zone };
    await ctx
      .db('autopilots')
      .insert({ owner_id: user_id, ...set, updated_at: new Date(ctx.clock()) })
      .onConflict('owner_id')
      .merge({ ...set, updated_at: new Date(ctx.clock()) });
    return done({ user: user_id }, set, await shown(ctx, user_id));
  });
}

async function shown({ db, clock }: Ctx, ownerId: string): Promise<AutopilotOut> {
  const row = await db('autopilots').where({ owner_id: ownerId }).first('enabled', 'daily_hour', 'time_zone', 'last_day');
  return { ...(row ?? DEFAULTS), open_proposals: await countOpen(db, ownerId, clock()) };
}

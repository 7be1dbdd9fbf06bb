import type { z } from 'zod';
import type { ScheduleOut, SchedulePatchIn } from '#contract/conversation/schedules.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { presentSynced } from './create.ts';
import { scheduleFor } from './find.ts';
import { checkTarget } from './target.ts';

/** What is left out stays. @throws NotFound schedule_not_found, agent_not_found, skill_not_found */
export async function updateSchedule(ctx: Ctx, i: { schedule_id: string } & z.output<typeof SchedulePatchIn>): Promise<z.infer<typeof ScheduleOut>> {
  await act(ctx, 'schedule.update', requireUser, async (ctx, user) => {
    const { schedule_id, title, target, paused, cron, ...rest } = i;
    await scheduleFor(ctx.db, user, 'schedule.update', schedule_id, true);
    const checked = target && (await checkTarget(ctx.db, user, target));
    await ctx
      .db('schedules')
      .where({ schedule_id })
      .update({
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
        ...(cron === undefined ? {} : { cron: cron.trim() }),
        ...(title === undefined ? {} : { title: storableText(title) }),
        ...(target && checked ? { target: storableJson(target), agent_id: checked.agentId } : {}),
        // An owner who pauses a schedule that a failure paused takes the pause over.
        ...(paused === undefined ? {} : { paused, paused_by: paused ? 'owner' : null }),
        version: ctx.db.raw('version + 1'),
        updated_at: new Date(ctx.clock()).toISOString(),
      });
    const changed = Object.keys(i).filter((key) => key !== 'schedule_id');
    return done({ schedule: schedule_id }, { changed });
  });
  return presentSynced(ctx, i.schedule_id);
}

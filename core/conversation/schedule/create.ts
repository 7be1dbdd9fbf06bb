import type { z } from 'zod';
import type { ScheduleIn, ScheduleOut } from '#contract/conversation/schedules.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { accountLimit } from '../../accounts/control.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { scheduleFor } from './find.ts';
import { presentSchedules } from './present.ts';
import { syncSoon } from './sync.ts';
import { checkTarget } from './target.ts';

/** @throws NotFound agent_not_found, skill_not_found; Conflict too_many_schedules */
export async function createSchedule(ctx: Ctx, i: ScheduleIn): Promise<z.infer<typeof ScheduleOut>> {
  const schedule_id = newId('sch', ctx.clock());
  await act(ctx, 'schedule.create', requireUser, async (ctx, user) => {
    // Locks the account's row: schedules made at once are counted one after the other.
    await ctx.db('users').where({ user_id: user.user_id }).forUpdate().first('user_id');
    const { rows } = await ctx.db.raw<{ rows: { n: number }[] }>('select count(*)::int as n from schedules where owner_id = ? and deleted_at is null', [
      user.user_id,
    ]);
    const most = await accountLimit(ctx.db, user.user_id, 'schedules');
    if ((rows[0]?.n ?? 0) >= most) throw new Conflict('too_many_schedules', `You have ${most} schedules or more, the most there can be: delete one first`);
    const { agentId, title } = await checkTarget(ctx.db, user, i.target);
    await ctx.db('schedules').insert({
      schedule_id,
      owner_id: user.user_id,
      title: storableText(i.title ?? title),
      cron: i.cron.trim(),
      time_zone: i.time_zone,
      skipped_times: i.skipped_times,
      repeated_times: i.repeated_times,
      overlap: i.overlap,
      catchup_window_seconds: i.catchup_window_seconds,
      jitter_seconds: i.jitter_seconds,
      pause_on_failure: i.pause_on_failure,
      paused: i.paused,
      paused_by: i.paused ? 'owner' : null,
      target: storableJson(i.target),
      agent_id: agentId,
    });
    return done({ schedule: schedule_id }, { cron: i.cron, time_zone: i.time_zone, target: i.target.kind });
  });
  return presentSynced(ctx, schedule_id);
}

/** Right after a change: Temporal gets it at once, and the answer says whether it did. */
export async function presentSynced(ctx: Ctx, scheduleId: string): Promise<z.infer<typeof ScheduleOut>> {
  await syncSoon(ctx, scheduleId);
  const [shown] = await presentSchedules(ctx, [await scheduleFor(ctx.db, ctx.actor, 'schedule.read', scheduleId)]);
  if (!shown) throw new Error('a schedule was not presented');
  return shown;
}

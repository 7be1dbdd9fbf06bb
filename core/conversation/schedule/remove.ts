import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { scheduleById } from './find.ts';
import { syncSoon } from './sync.ts';

/** Runs that it has started continue. */
export async function removeSchedule(ctx: Ctx, i: { schedule_id: string }): Promise<void> {
  await act(ctx, 'schedule.delete', scheduleById(i.schedule_id), async (ctx, { schedule_id }) => {
    await ctx
      .db('schedules')
      .where({ schedule_id })
      .update({ deleted_at: new Date(ctx.clock()).toISOString(), version: ctx.db.raw('version + 1') });
    return done({ schedule: schedule_id }, {});
  });
  await syncSoon(ctx, i.schedule_id);
}

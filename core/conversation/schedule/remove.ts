import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { scheduleFor } from './find.ts';
import { syncSoon } from './sync.ts';

/** Runs that it has started continue. */
export async function removeSchedule(ctx: Ctx, i: { schedule_id: string }): Promise<void> {
  await inTx(ctx, async (ctx) => {
    await scheduleFor(ctx.db, ctx.actor, 'schedule.delete', i.schedule_id, true);
    await ctx
      .db('schedules')
      .where({ schedule_id: i.schedule_id })
      .update({ deleted_at: new Date(ctx.clock()).toISOString(), version: ctx.db.raw('version + 1') });
    await audit(ctx, 'schedule.delete', { schedule: i.schedule_id });
  });
  await syncSoon(ctx, i.schedule_id);
}

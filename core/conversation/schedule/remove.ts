import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { scheduleFor } from './find.ts';
import { syncSoon } from './sync.ts';

/** Runs that it has started continue. */
export async function removeSchedule(ctx: Ctx, i: { schedule_id: string }): Promise<void> {
  await inTx(ctx, async (tx) => {
    await scheduleFor(tx, ctx.actor, 'schedule.delete', i.schedule_id, true);
    await tx('schedules')
      .where({ schedule_id: i.schedule_id })
      .update({ deleted_at: new Date(ctx.clock()).toISOString(), version: tx.raw('version + 1') });
    await audit(tx, ctx, 'schedule.delete', i.schedule_id);
  });
  await syncSoon(ctx, i.schedule_id);
}

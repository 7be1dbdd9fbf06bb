import { requireUser } from '../../kernel/actors.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { ownedSchedule } from './find.ts';
import { syncSoon } from './sync.ts';

/** What it has begun goes on. */
export async function removeSchedule(ctx: Ctx, i: { schedule_id: string }): Promise<void> {
  const user = requireUser(ctx);
  await inTx(ctx, async (tx) => {
    await ownedSchedule(tx, user, i.schedule_id, true);
    await tx('schedules')
      .where({ schedule_id: i.schedule_id })
      .update({ deleted_at: new Date(ctx.clock()).toISOString(), version: tx.raw('version + 1') });
    await audit(tx, ctx, 'schedule.delete', i.schedule_id);
  });
  await syncSoon(ctx, i.schedule_id);
}

import type { Knex } from 'knex';
import type { SchedulesRow } from '#db/tables.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { type Action, whereMay } from '../../kernel/policy.ts';

/**
 * @throws NotFound schedule_not_found, also for a deleted one, and for one that the actor may not do it to
 */
export async function scheduleFor(db: Knex, actor: Actor, action: Action, scheduleId: string, lock = false): Promise<SchedulesRow> {
  const query = db('schedules').where({ schedule_id: scheduleId }).where(whereMay(actor, action)).whereNull('deleted_at').first();
  const row = await (lock ? query.forUpdate() : query);
  if (!row) throw noSuchSchedule(scheduleId);
  return row;
}

/** The subject of an action (core/kernel/act.ts): as scheduleFor, for who acts, locked. */
export function scheduleById(scheduleId: string) {
  return (ctx: Pick<Ctx, 'db' | 'actor'>, action: Action): Promise<SchedulesRow> => scheduleFor(ctx.db, ctx.actor, action, scheduleId, true);
}

function noSuchSchedule(scheduleId: string): NotFound {
  return new NotFound('schedule_not_found', `You have no schedule ${scheduleId}: list yours with "svc schedules list"`);
}

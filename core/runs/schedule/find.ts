import type { Knex } from 'knex';
import type { SchedulesRow } from '#db/tables.ts';
import type { UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';

/** A schedule of the account; anybody else's, and a deleted one, answer as if they were not there. */
export async function ownedSchedule(db: Knex, user: UserActor, scheduleId: string, lock = false): Promise<SchedulesRow> {
  const query = db('schedules').where({ schedule_id: scheduleId, owner_id: user.user_id }).whereNull('deleted_at').first();
  const row = await (lock ? query.forUpdate() : query);
  if (!row) throw noSuchSchedule(scheduleId);
  return row;
}

export function noSuchSchedule(scheduleId: string): NotFound {
  return new NotFound('schedule_not_found', `You have no schedule ${scheduleId}: list yours with "svc schedules list"`);
}

import type { Knex } from 'knex';
import type { SchedulesRow } from '../../../db/tables.ts';
import type { Ctx } from '../../ctx.ts';
import { Conflict, NotFound } from '../../errors.ts';
import { startRun } from '../run/start.ts';
import { targetOf } from './model.ts';

export interface StartedTarget {
  job_id: string;
  run_id: string;
}

/** Starts what the schedule is for, in its owner's name. @throws as startRun does; NotFound agent_deleted */
export async function startTarget(tx: Knex.Transaction, ctx: Ctx, row: SchedulesRow, { idempotencyKey }: { idempotencyKey?: string }): Promise<StartedTarget> {
  const target = targetOf(row);
  if (target.kind === 'prompt') throw new Conflict('chat_not_available', 'Prompts cannot be run here yet: let the schedule call a skill');
  // Its name may have gone to somebody else's since: the arguments were not meant for that one.
  const same = await tx('agents')
    .where({ agent_id: row.agent_id ?? '', name: target.agent })
    .whereNull('deleted_at')
    .first('agent_id');
  if (!same) throw new NotFound('agent_deleted', `${target.agent} was deleted: give the schedule another agent, or delete it`);
  const { job_id, run_id } = await startRun(tx, ctx, {
    userId: row.owner_id,
    agent: target.agent,
    skill: target.skill,
    args: target.args,
    scheduleId: row.schedule_id,
    title: row.title,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
  return { job_id, run_id };
}

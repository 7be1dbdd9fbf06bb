import type { Knex } from 'knex';
import type { JobsRow } from '#db/tables.ts';
import type { Actor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { type Action, whereMay } from '../../kernel/policy.ts';

/** @throws NotFound job_not_found, also for one that the actor may not do it to */
export async function jobFor(db: Knex, actor: Actor, action: Action, jobId: string, lock = false): Promise<JobsRow> {
  const query = db('jobs').where({ job_id: jobId }).where(whereMay(actor, action)).first();
  const row = await (lock ? query.forUpdate() : query);
  if (!row) throw new NotFound('job_not_found', `You have no job ${jobId}: list yours with "svc runs --all"`);
  return row;
}

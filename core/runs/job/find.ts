import type { Knex } from 'knex';
import type { JobsRow } from '#db/tables.ts';
import type { UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';

/** A job of the account; anybody else's answers as if it were not there. */
export async function ownedJob(db: Knex, user: UserActor, jobId: string, lock = false): Promise<JobsRow> {
  const query = db('jobs').where({ job_id: jobId, owner_id: user.user_id }).first();
  const row = await (lock ? query.forUpdate() : query);
  if (!row) throw new NotFound('job_not_found', `You have no job ${jobId}: list yours with "svc runs --all"`);
  return row;
}

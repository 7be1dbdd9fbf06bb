import type { Knex } from 'knex';
import type { ThreadsRow } from '#db/tables.ts';
import type { Actor } from '../kernel/ctx.ts';
import { NotFound } from '../kernel/errors.ts';
import { type Action, whereMay } from '../kernel/policy.ts';

/** @throws NotFound thread_not_found, also for one that the actor may not do it to */
export async function threadFor(db: Knex, actor: Actor, action: Action, threadId: string, lock = false): Promise<ThreadsRow> {
  const query = db('threads').where({ thread_id: threadId }).where(whereMay(actor, action)).first();
  const row = await (lock ? query.forUpdate() : query);
  if (!row) throw new NotFound('thread_not_found', `You have no thread ${threadId}`);
  return row;
}

import type { Knex } from 'knex';
import type { ThreadsRow } from '#db/tables.ts';
import type { UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';

/** A thread of the account; anybody else's answers as if it were not there. */
export async function ownedThread(db: Knex, user: UserActor, threadId: string, lock = false): Promise<ThreadsRow> {
  const query = db('threads').where({ thread_id: threadId, owner_id: user.user_id }).first();
  const row = await (lock ? query.forUpdate() : query);
  if (!row) throw new NotFound('thread_not_found', `You have no thread ${threadId}`);
  return row;
}

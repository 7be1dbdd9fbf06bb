import type { Knex } from 'knex';
import type { ThreadsRow } from '#db/tables.ts';
import type { Actor, Ctx } from '../kernel/ctx.ts';
import { NotFound } from '../kernel/errors.ts';
import { type Action, whereMay } from '../kernel/policy.ts';

/** @throws NotFound thread_not_found, also for one that the actor may not do it to */
export async function threadFor(db: Knex, actor: Actor, action: Action, threadId: string, lock = false): Promise<ThreadsRow> {
  const query = db('threads').where({ thread_id: threadId }).where(whereMay(actor, action)).first();
  const row = await (lock ? query.forUpdate() : query);
  if (!row) throw new NotFound('thread_not_found', `You have no thread ${threadId}`);
  return row;
}

/** The subject of an action (core/kernel/act.ts): as threadFor, for who acts. */
export function threadById(threadId: string, lock = false) {
  return (ctx: Pick<Ctx, 'db' | 'actor'>, action: Action): Promise<ThreadsRow> => threadFor(ctx.db, ctx.actor, action, threadId, lock);
}

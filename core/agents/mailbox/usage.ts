// Counts what a mailbox holds and has sent, each time: a stored counter could differ from the rows.
import type { Knex } from 'knex';

const DAY_MS = 24 * 3_600_000;

export async function storedBytes(db: Knex, mailboxId: string, only?: 'skipped'): Promise<number> {
  const query = db('mail_messages').where({ mailbox_id: mailboxId, direction: 'in' }).whereNotNull('sha256');
  if (only) void query.where({ state: only });
  const [row] = await query.sum<{ sum: string | null }[]>('size_bytes as sum');
  return Number(row?.sum ?? 0);
}

/** Mails of the 24 hours before, sent or to be sent; of those to one address, if it is named. */
export async function sentSince(db: Knex, mailboxId: string, now: number, correspondent?: string): Promise<number> {
  const query = db('mail_messages')
    .where({ mailbox_id: mailboxId, direction: 'out' })
    .whereNot({ state: 'thread_only' })
    .where('created_at', '>', new Date(now - DAY_MS));
  if (correspondent !== undefined) void query.where({ correspondent });
  const [row] = await query.count<{ count: string }[]>('* as count');
  return Number(row?.count ?? 0);
}

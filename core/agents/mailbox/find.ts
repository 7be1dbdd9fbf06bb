import type { Knex } from 'knex';
import type { MailboxesRow } from '#db/tables.ts';
import { NotFound } from '../../kernel/errors.ts';

/** The newest of the agent, also one that was removed. */
export async function mailboxOf(db: Knex, agentId: string, lock = false): Promise<MailboxesRow | undefined> {
  const query = db('mailboxes')
    .where({ agent_id: agentId })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'mailbox_id', order: 'desc' },
    ])
    .first();
  return lock ? query.forUpdate() : query;
}

/** @throws NotFound mailbox_not_found */
export async function requireMailbox(db: Knex, agent: { agent_id: string; name: string }, lock = false): Promise<MailboxesRow> {
  const row = await mailboxOf(db, agent.agent_id, lock);
  if (!row) throw new NotFound('mailbox_not_found', `${agent.name} has no mailbox: create one with "svc mailbox create ${agent.name}"`);
  return row;
}

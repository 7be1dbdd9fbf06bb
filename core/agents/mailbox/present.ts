import type { Knex } from 'knex';
import type { z } from 'zod';
import type { AgentMailboxOut } from '#contract/agents/agent-mailboxes.ts';
import { MAX_MAILBOX_BYTES, MAX_SENT_A_DAY, ON_EMAIL } from '#contract/wire/mail.ts';
import type { MailboxesRow } from '#db/tables.ts';
import { storedFault } from '../../kernel/errors.ts';
import { storedBytes, sentSince } from './usage.ts';

export async function presentMailbox(
  db: Knex,
  row: MailboxesRow,
  agent: { skills: readonly string[]; live_deploy_id: string | null },
  now: number,
): Promise<z.infer<typeof AgentMailboxOut>> {
  return {
    address: row.address,
    state: row.state,
    allowed_senders: row.allowed_senders,
    declared_senders: row.declared_senders,
    has_on_email: agent.live_deploy_id !== null && agent.skills.includes(ON_EMAIL),
    sent_today: await sentSince(db, row.mailbox_id, now),
    send_limit: MAX_SENT_A_DAY,
    size_bytes: await storedBytes(db, row.mailbox_id),
    max_bytes: MAX_MAILBOX_BYTES,
    error: storedFault(row.error),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

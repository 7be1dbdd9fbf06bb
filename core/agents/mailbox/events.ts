// What happened to the mail of a mailbox: written with what happened, read page by page.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { MailboxEventOut } from '#contract/agents/agent-mailboxes.ts';
import { MAIL_SKIP_REASONS, type MailEventKind, type MailSkipReason } from '#contract/states.ts';
import type { MailboxEventsRow } from '#db/tables.ts';
import { agentFor } from '../agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { requireMailbox } from './find.ts';

export interface MailEvent {
  kind: MailEventKind;
  why?: MailSkipReason;
  /** A code or a status: never words of a mail. */
  detail?: string | null;
  mail_id?: string | null;
  correspondent?: string | null;
  subject?: string | null;
  message_id?: string | null;
  thread_id?: string | null;
  job_id?: string | null;
}

export async function appendMailEvent(db: Knex, now: number, mailboxId: string, event: MailEvent): Promise<void> {
  await db('mailbox_events').insert({ event_id: newId('mev', now), mailbox_id: mailboxId, at: new Date(now), ...event });
}

/** Newest first. */
export async function listMailboxEvents(
  ctx: Ctx,
  i: { name: string; limit: number; cursor?: string | undefined },
): Promise<Page<z.infer<typeof MailboxEventOut>>> {
  const agent = await agentFor(ctx.db, ctx.actor, 'mailbox.read', i.name);
  const { mailbox_id } = await requireMailbox(ctx.db, agent);
  const query = ctx.db('mailbox_events').where({ mailbox_id }).select<MailboxEventsRow[]>('*');
  return newestPage(query, ['at', 'event_id'], i, presentEvent);
}

function presentEvent(row: MailboxEventsRow): z.infer<typeof MailboxEventOut> {
  const { event_id, kind, detail, correspondent, subject, message_id, thread_id, job_id } = row;
  return {
    event_id,
    kind,
    why: MAIL_SKIP_REASONS.find((one) => one === row.why) ?? null,
    detail,
    correspondent,
    subject,
    message_id,
    thread_id,
    job_id,
    at: row.at.toISOString(),
  };
}

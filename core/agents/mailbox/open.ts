// A mailbox begins as a row and the workflow that makes it ready.
import { MAX_MAILBOX_NAME } from '#contract/wire/mail.ts';
import type { MailboxesRow } from '#db/tables.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { startWorkflow } from '../../outbox/messages.ts';

/** Addresses that the mail system itself must have, or that people take for it (RFC 2142). */
const RESERVED = new Set([
  'abuse',
  'admin',
  'administrator',
  'bounce',
  'hostmaster',
  'mailer-daemon',
  'no-reply',
  'noreply',
  'postmaster',
  'root',
  'security',
  'webmaster',
]);

export interface NewMailbox {
  agent: { agent_id: string; name: string; owner_id: string };
  allowed?: readonly string[];
  declared?: readonly string[];
}

/** @throws Conflict mail_not_served, mailbox_name_too_long, mailbox_name_taken */
export function addressFor(ctx: Ctx, name: string): string {
  const { mail } = ctx.drivers;
  if (!mail) throw new Conflict('mail_not_served', 'This installation has no mail domain: ask its operators to set SVC_MAIL_DOMAIN');
  if (name.length > MAX_MAILBOX_NAME)
    throw new Conflict('mailbox_name_too_long', `${name} has ${name.length} characters; the name of an agent with a mailbox has ${MAX_MAILBOX_NAME} at most`);
  if (RESERVED.has(name)) throw new Conflict('mailbox_name_taken', `${name}@${mail.domain} belongs to the mail system: deploy the agent under another name`);
  return `${name}@${mail.domain}`;
}

/** The caller holds the agent's row, and has seen that there is no open mailbox. */
export async function openMailbox(ctx: TxCtx, i: NewMailbox): Promise<MailboxesRow> {
  const address = addressFor(ctx, i.agent.name);
  const now = new Date(ctx.clock());
  const [row] = await ctx
    .db('mailboxes')
    .insert({
      mailbox_id: newId('mbx', ctx.clock()),
      agent_id: i.agent.agent_id,
      address,
      state: 'pending',
      allowed_senders: senders(i.allowed),
      declared_senders: senders(i.declared),
      created_at: now,
      updated_at: now,
    })
    .returning('*');
  if (!row) throw new Error('the mailbox was not stored');
  await startProvisioning(ctx, row, i.agent);
  return row;
}

export async function startProvisioning(ctx: TxCtx, row: MailboxesRow, agent: { name: string; owner_id: string }): Promise<void> {
  await startWorkflow(ctx, {
    type: 'provisionMailbox',
    workflowId: `mailbox:${row.mailbox_id}:${row.updated_at.getTime()}`,
    taskQueue: 'control',
    args: [{ mailbox_id: row.mailbox_id }],
    searchAttributes: { SvcKind: 'mailbox', SvcAgent: agent.name, SvcOwner: agent.owner_id },
  });
}

/** As they are compared: in lower case, each once. */
export function senders(list: readonly string[] = []): string[] {
  return [...new Set(list.map((one) => one.toLowerCase()))];
}

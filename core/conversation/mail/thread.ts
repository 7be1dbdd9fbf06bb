// One conversation for each chain of mails between a mailbox and one correspondent. It is a thread of the
// agent's owner.
import type { Knex } from 'knex';
import type { MailboxesRow, MailThreadsRow } from '#db/tables.ts';
import type { ParsedMail } from '#drivers/mail/parse.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { storableText } from '../../kernel/storable.ts';
import { appendThreadEvent } from '../../threads/append.ts';
import { addThread } from '../../threads/create.ts';
import type { MailboxAgent } from './store.ts';
import { readTag } from './tags.ts';

/** Of a text in an event. */
const MAX_SHOWN = 16_384;

export interface NewMail {
  mailbox: MailboxesRow;
  agent: MailboxAgent;
  parsed: ParsedMail;
  from: string;
  /** Of the address that it was written to. */
  tag: string | undefined;
  mail_id: string;
}

export async function addToThread(ctx: TxCtx, i: NewMail): Promise<Pick<MailThreadsRow, 'thread_no' | 'thread_id'>> {
  const thread = (await known(ctx, i)) ?? (await begin(ctx, i));
  const { mail_id, from, parsed } = i;
  await showInThread(ctx.db, thread.thread_id, 'mail.received', { mail_id, from, subject: parsed.subject, text: parsed.text });
  return thread;
}

/** Nothing where the owner has deleted the conversation. */
export async function showInThread(
  tx: Knex.Transaction,
  threadId: string | null,
  kind: 'mail.received' | 'mail.reply',
  payload: { text: string } & Record<string, unknown>,
): Promise<void> {
  if (threadId === null) return;
  const text = storableText(payload.text.slice(0, MAX_SHOWN));
  await appendThreadEvent(tx, threadId, kind, { ...payload, text, ...(payload.text.length > MAX_SHOWN && { text_length: payload.text.length }) });
}

/**
 * By the tag in the address first: clients drop References. Only of this mailbox and this correspondent: an
 * id may be guessed or forwarded.
 */
async function known(ctx: TxCtx, { mailbox, parsed, from, tag }: NewMail): Promise<MailThreadsRow | undefined> {
  const mine = () => ctx.db('mail_threads as t').where({ 't.mailbox_id': mailbox.mailbox_id, 't.correspondent': from });
  const number = tag === undefined ? undefined : await readTag(ctx.drivers.vault, 't', tag);
  const tagged = number === undefined ? undefined : await mine().where({ 't.thread_no': number }).first('t.*');
  if (tagged || parsed.references.length === 0) return tagged;
  return mine().join('mail_messages as m', 'm.thread_no', 't.thread_no').whereIn('m.message_id', parsed.references).orderBy('t.thread_no', 'desc').first('t.*');
}

async function begin(ctx: TxCtx, { mailbox, agent, parsed, from }: NewMail): Promise<MailThreadsRow> {
  const subject = parsed.subject === '' ? `Mail from ${from}` : parsed.subject;
  const { thread_id } = await addThread(ctx, { ownerId: agent.owner_id, title: subject.slice(0, 200), titled: true });
  const [row] = await ctx
    .db('mail_threads')
    .insert({ mailbox_id: mailbox.mailbox_id, thread_id, correspondent: from, subject: storableText(subject) })
    .returning('*');
  if (!row) throw new Error('the conversation was not stored');
  return row;
}

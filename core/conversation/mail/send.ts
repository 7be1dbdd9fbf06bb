// Sends one answer. Its workflow calls this until it is sent or given up. The same mail has the same bytes
// each time: a server that gets it twice, since we died between sending and noting it, knows it by its
// Message-ID.
import type { Knex } from 'knex';
import type { MailMessagesRow } from '#db/tables.ts';
import { composeMail } from '#drivers/mail/compose.ts';
import { type Mail, SendFailed } from '#drivers/mail/port.ts';
import type { MailSkipReason } from '#contract/states.ts';
import { appendMailEvent } from '../../agents/mailbox/events.ts';
import { signingKey } from '../../agents/mailbox/keys.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { system } from '../../kernel/act.ts';
import { BOUNCE } from './recipient.ts';
import { makeTag } from './tags.ts';

const TRIED_FOR_MS = 48 * 3_600_000;
/** Of the chain that an answer names: the first and the newest. */
const MAX_REFERENCES = 20;

export async function sendAnswer(ctx: Ctx, mailId: string): Promise<'done' | 'later'> {
  const row = await ctx.db('mail_messages').where({ mail_id: mailId, direction: 'out', state: 'queued' }).first();
  if (!row || row.thread_no === null || row.body === null || row.message_id === null) return 'done';
  const place = await ctx
    .db('mailboxes as m')
    .join('agents as a', 'a.agent_id', 'm.agent_id')
    .where({ 'm.mailbox_id': row.mailbox_id })
    .first('m.state', 'm.address', 'a.name');
  if (place?.state !== 'ready') return end(ctx, row, 'failed', 'mailbox_closed', null);
  const late = ctx.clock() - row.created_at.getTime() > TRIED_FOR_MS;
  const { mail } = ctx.drivers;
  if (!mail) return late ? end(ctx, row, 'failed', 'not_delivered', 'mail_not_served') : 'later';
  try {
    await mail.send({ envelopeFrom: await returnAddress(ctx, mail, row), to: row.correspondent, raw: await rawOf(ctx, mail, row, place) });
  } catch (error) {
    if (!(error instanceof SendFailed)) throw error;
    if (error.permanent || late) return end(ctx, row, 'failed', 'not_delivered', error.code);
    await ctx.db('mail_messages').where({ mail_id: row.mail_id }).increment('attempts', 1);
    return 'later';
  }
  return end(ctx, row, 'sent', undefined, null);
}

async function returnAddress(ctx: Ctx, mail: Mail, row: MailMessagesRow): Promise<string> {
  return `${BOUNCE}+${await makeTag(ctx.drivers.vault, 'b', row.number)}@${mail.domain}`;
}

async function rawOf(ctx: Ctx, mail: Mail, row: MailMessagesRow, place: { address: string; name: string }): Promise<Buffer> {
  const tag = await makeTag(ctx.drivers.vault, 't', row.thread_no ?? 0);
  const [first, ...others] = row.in_reply_to;
  return composeMail(
    {
      automatic: 'auto-replied',
      fromName: place.name,
      from: place.address,
      replyTo: `${place.name}+${tag}@${mail.domain}`,
      to: row.correspondent,
      subject: row.subject,
      text: row.body ?? '',
      messageId: row.message_id ?? '',
      inReplyTo: row.in_reply_to.at(-1),
      references: first === undefined ? [] : [first, ...others.slice(1 - MAX_REFERENCES)],
      date: row.created_at,
    },
    { domain: mail.domain, selector: mail.selector, privateKey: await signingKey(ctx, mail) },
  );
}

async function end(ctx: Ctx, row: MailMessagesRow, state: 'sent' | 'failed', why: MailSkipReason | undefined, detail: string | null): Promise<'done'> {
  await system(ctx, async (ctx) => {
    const moved = await ctx
      .db('mail_messages')
      .where({ mail_id: row.mail_id, state: 'queued' })
      .update({ state, why: why ?? null, ended_at: new Date(ctx.clock()), attempts: row.attempts + 1 });
    if (moved === 0) return;
    const { mail_id, correspondent, subject, message_id, job_id } = row;
    const about = { mail_id, correspondent, subject, message_id, job_id, thread_id: await threadIdOf(ctx.db, row) };
    await appendMailEvent(ctx.db, ctx.clock(), row.mailbox_id, why ? { kind: 'mail_skipped', why, detail, ...about } : { kind: 'mail_sent', ...about });
  });
  return 'done';
}

async function threadIdOf(db: Knex, { thread_no }: MailMessagesRow): Promise<string | null> {
  if (thread_no === null) return null;
  return (await db('mail_threads').where({ thread_no }).first('thread_id'))?.thread_id ?? null;
}

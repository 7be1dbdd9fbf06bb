// The run of a mail has ended: its answer is stored to be sent, in the same transaction.
import { EmailReply, MAX_SENT_A_DAY, MAX_SENT_A_DAY_TO_ONE } from '#contract/wire/mail.ts';
import type { MailMessagesRow, MailThreadsRow } from '#db/tables.ts';
import { oneLine } from '#drivers/mail/parse.ts';
import { appendMailEvent } from '../../agents/mailbox/events.ts';
import { sentSince } from '../../agents/mailbox/usage.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { storableText } from '../../kernel/storable.ts';
import type { EndedJob, JobEnd } from '../../jobs/followers.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { showInThread } from './thread.ts';

/** Does nothing unless a mail started the job. */
export async function answerMail(ctx: TxCtx, { job_id }: EndedJob, end: JobEnd): Promise<void> {
  const [mail] = await ctx
    .db('mail_messages')
    .where({ job_id, direction: 'in', state: 'running' })
    .update({ state: 'done', ended_at: new Date(ctx.clock()) })
    .returning('*');
  if (!mail) return;
  const thread = mail.thread_no === null ? undefined : await ctx.db('mail_threads').where({ thread_no: mail.thread_no }).first();
  if (end.state !== 'succeeded') return note(ctx, mail, thread, 'run_failed', end.error?.code ?? null);
  const reply = replyIn(end.result);
  if (reply === 'bad') return note(ctx, mail, thread, 'bad_reply', null);
  if (reply === undefined || !thread) return;
  await answer(ctx, mail, thread, reply);
}

interface Reply {
  body: string;
  subject: string | undefined;
}

/** Undefined: the agent does not answer. */
function replyIn(result: unknown): Reply | 'bad' | undefined {
  if (result === null || result === undefined) return undefined;
  const read = EmailReply.safeParse(typeof result === 'string' ? { body: result } : result);
  if (!read.success) return 'bad';
  return read.data.body.trim() === '' ? undefined : { body: read.data.body, subject: read.data.subject ?? undefined };
}

async function answer(ctx: TxCtx, mail: MailMessagesRow, thread: MailThreadsRow, { body, subject }: Reply): Promise<void> {
  // Locked, so that answers at once are counted one after the other.
  const mailbox = await ctx.db('mailboxes').where({ mailbox_id: mail.mailbox_id }).forUpdate().first();
  if (!mailbox) return;
  const now = ctx.clock();
  const limit =
    (await sentSince(ctx.db, mailbox.mailbox_id, now)) >= MAX_SENT_A_DAY
      ? 'day_limit'
      : (await sentSince(ctx.db, mailbox.mailbox_id, now, mail.correspondent)) >= MAX_SENT_A_DAY_TO_ONE
        ? 'correspondent_limit'
        : undefined;
  const mail_id = newId('mml', now);
  const line = storableText(oneLine(subject ?? replySubject(thread.subject), 500));
  await ctx.db('mail_messages').insert({
    mail_id,
    mailbox_id: mailbox.mailbox_id,
    thread_no: thread.thread_no,
    direction: 'out',
    state: limit || mailbox.state !== 'ready' ? 'thread_only' : 'queued',
    why: limit ?? null,
    message_id: `<${mail_id}@${mailbox.address.slice(mailbox.address.lastIndexOf('@') + 1)}>`,
    in_reply_to: [...mail.in_reply_to, ...(mail.message_id === null ? [] : [mail.message_id])],
    correspondent: mail.correspondent,
    subject: line,
    body: storableText(body),
    size_bytes: Buffer.byteLength(body),
    job_id: mail.job_id,
    answers: mail.mail_id,
    created_at: new Date(now),
  });
  await ctx.db('mail_messages').where({ mail_id: mail.mail_id }).update({ state: 'answered' });
  await showInThread(ctx.db, thread.thread_id, 'mail.reply', { mail_id, to: mail.correspondent, subject: line, text: body, sent: limit === undefined });
  if (limit) {
    const { correspondent, job_id } = mail;
    const about = { mail_id, correspondent, subject: line, thread_id: thread.thread_id, job_id };
    return appendMailEvent(ctx.db, now, mailbox.mailbox_id, { kind: 'mail_send_rate_limited', why: limit, ...about });
  }
  if (mailbox.state !== 'ready') return note(ctx, mail, thread, 'mailbox_closed', null);
  const agent = await ctx.db('agents').where({ agent_id: mailbox.agent_id }).first('name', 'owner_id');
  await startWorkflow(ctx, {
    type: 'sendMail',
    workflowId: `mail:${mail_id}`,
    taskQueue: 'control',
    args: [{ mail_id }],
    searchAttributes: { SvcKind: 'mail', SvcAgent: agent?.name ?? '', SvcOwner: agent?.owner_id ?? '' },
  });
}

function replySubject(subject: string): string {
  return /^re:/i.test(subject) ? subject : `Re: ${subject}`;
}

async function note(
  ctx: TxCtx,
  mail: MailMessagesRow,
  thread: MailThreadsRow | undefined,
  why: 'run_failed' | 'bad_reply' | 'mailbox_closed',
  detail: string | null,
): Promise<void> {
  const { mail_id, correspondent, subject, message_id, job_id } = mail;
  const about = { mail_id, correspondent, subject, message_id, job_id, thread_id: thread?.thread_id ?? null };
  await appendMailEvent(ctx.db, ctx.clock(), mail.mailbox_id, { kind: 'mail_skipped', why, detail, ...about });
}

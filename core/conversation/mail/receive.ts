// What the mail server asks of the domain: whether an address takes mail, and to take a mail.
import { bounceIn } from '#drivers/mail/bounce.ts';
import { parseMail } from '#drivers/mail/parse.ts';
import type { Incoming, Refusal } from '#drivers/mail/port.ts';
import { appendMailEvent } from '../../agents/mailbox/events.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { system } from '../../kernel/act.ts';
import { refusalFor } from './decide.ts';
import { storeForOperators } from './postmaster.ts';
import { findRecipient, type MailRecipient } from './recipient.ts';
import { storeMail } from './store.ts';

/** Undefined: it takes mail. */
export async function mayReceive(ctx: Ctx, address: string): Promise<Refusal | undefined> {
  const recipient = await findRecipient(ctx, address);
  return 'code' in recipient ? recipient : undefined;
}

/**
 * Undefined: it is stored where it was to go, as far as each mailbox takes it. One of several recipients that
 * takes it is enough.
 */
export async function receiveMail(ctx: Ctx, mail: Incoming): Promise<Refusal | undefined> {
  const recipients = await Promise.all(mail.recipients.map((address) => findRecipient(ctx, address)));
  const open = recipients.flatMap((one) => ('code' in one ? [] : [one]));
  const closed = recipients.find((one) => 'code' in one);
  if (open.length === 0) return closed && 'code' in closed ? closed : { code: 550, message: '5.1.1 There is no such mailbox' };
  const bounces = open.flatMap((one) => (one.kind === 'bounce' ? [one] : []));
  for (const { number } of bounces) await takeBounce(ctx, number, mail.raw);
  const mailboxes = open.filter((one): one is Extract<MailRecipient, { kind: 'mailbox' }> => one.kind === 'mailbox');
  const forOperators = open.some((one) => one.kind === 'postmaster');
  if (mailboxes.length === 0 && !forOperators) return undefined;
  const verdict = await requireMail(ctx).verify(mail);
  const refused = refusalFor(verdict);
  const { from } = verdict;
  let taken = bounces.length > 0;
  let last: Refusal | undefined;
  if (forOperators) {
    // Also a report, which need not name who wrote it: people write here when mail does not work.
    last = (from === undefined ? undefined : refused) ?? (await storeForOperators(ctx, mail.raw, verdict));
    taken ||= last === undefined;
    if (mailboxes.length === 0) return taken ? undefined : last;
  }
  if (refused || from === undefined) {
    if (refused?.code === 550) await noteRefused(ctx, mailboxes);
    return refused ?? { code: 550, message: '5.6.0 From must hold one address' };
  }
  const parsed = await parseMail(mail.raw);
  if (!parsed) return { code: 550, message: '5.6.0 The mail cannot be read: it is nested too deeply, or is no MIME' };
  for (const one of mailboxes) {
    last = await storeMail(ctx, { mail, verdict: { ...verdict, from }, parsed }, one);
    taken ||= last === undefined;
  }
  return taken ? undefined : last;
}

function requireMail({ drivers }: Ctx) {
  if (!drivers.mail) throw new Error('mail comes in, but there is no mail domain');
  return drivers.mail;
}

const NOTED_A_DAY = 100;

/**
 * Mail that is refused in the SMTP session is not kept; its events are bounded, since any sender can cause
 * them.
 */
async function noteRefused(ctx: Ctx, to: readonly Extract<MailRecipient, { kind: 'mailbox' }>[]): Promise<void> {
  for (const { mailbox } of to) {
    const { mailbox_id } = mailbox;
    const today = await ctx
      .db('mailbox_events')
      .where({ mailbox_id, why: 'dmarc_reject' })
      .where('at', '>', new Date(ctx.clock() - 86_400_000))
      .limit(NOTED_A_DAY)
      .select('event_id');
    if (today.length < NOTED_A_DAY) await appendMailEvent(ctx.db, ctx.clock(), mailbox_id, { kind: 'mail_skipped', why: 'dmarc_reject' });
  }
}

/** The address is signed, so the sender had our mail; a report proves no more than that. */
async function takeBounce(ctx: Ctx, number: number, raw: Buffer): Promise<void> {
  const bounce = await bounceIn(raw);
  const final = bounce?.action === 'failed';
  await system(ctx, async (ctx) => {
    const [row] = await ctx
      .db('mail_messages')
      .where({ number, direction: 'out' })
      .whereNull('why')
      .update({ why: 'bounce', ...(final && { state: 'failed' }) })
      .returning('*');
    if (!row) return;
    const { mail_id, correspondent, subject, message_id, thread_no } = row;
    const thread = thread_no === null ? undefined : await ctx.db('mail_threads').where({ thread_no }).first('thread_id');
    await appendMailEvent(ctx.db, ctx.clock(), row.mailbox_id, {
      kind: 'mail_skipped',
      why: 'bounce',
      detail: bounce ? `${bounce.action} ${bounce.status}` : null,
      mail_id,
      correspondent,
      subject,
      message_id,
      thread_id: thread?.thread_id ?? null,
    });
  });
}

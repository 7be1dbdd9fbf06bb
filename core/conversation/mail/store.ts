// Takes a mail into its mailboxes. Its caller answers 250 only after this has resolved.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Knex } from 'knex';
import { MAX_MAILBOX_BYTES } from '#contract/wire/mail.ts';
import type { MailboxesRow } from '#db/tables.ts';
import type { ParsedMail } from '#drivers/mail/parse.ts';
import type { Incoming, Refusal, Verdict } from '#drivers/mail/port.ts';
import { appendMailEvent } from '../../agents/mailbox/events.ts';
import { storedBytes } from '../../agents/mailbox/usage.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { storableText } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { storeBlob } from '../../workspace/blob/store.ts';
import { isAutomatic } from './automatic.ts';
import { decideMail } from './decide.ts';
import { addToThread } from './thread.ts';

/** Of what a mailbox keeps, for mail that runs nothing: strangers must not fill it. */
const MAX_SKIPPED_BYTES = MAX_MAILBOX_BYTES / 4;
/** Events about mail that runs nothing, in 24 hours. */
const MAX_SKIPPED_A_DAY = 500;

export interface TakenMail {
  mail: Incoming;
  verdict: Verdict & { from: string };
  parsed: ParsedMail;
}

/** A refusal where this mailbox does not take it. The same mail again is taken, and nothing more happens. */
export async function storeMail(ctx: Ctx, taken: TakenMail, to: { mailbox: MailboxesRow; tag: string | undefined }): Promise<Refusal | undefined> {
  const { mail, verdict, parsed } = taken;
  const automatic = isAutomatic({ envelopeFrom: mail.envelopeFrom, from: verdict.from, headers: parsed.headers });
  const facts = { verdict, automatic, size: mail.raw.length, now: ctx.clock() };
  // Before anything is stored: what is refused must not fill the disk. Asked again where nothing changes any
  // more.
  const before = await lookAt(ctx.db, to.mailbox.mailbox_id, facts);
  if (before.refusal) return before.refusal;
  const { sha256, size_bytes } = await storeBlob(ctx, Readable.from([mail.raw]), mail.raw.length);
  // The mailbox is its owner's, and its rules decide.
  return system(ctx, async (ctx) => {
    const admission = await lookAt(ctx.db, to.mailbox.mailbox_id, facts, true);
    if (admission.refusal) return admission.refusal;
    const { mailbox, agent, decision } = admission;
    const runs = decision.do === 'run';
    const dedupe = dedupeOf(mail, parsed.messageId);
    if (await ctx.db('mail_messages').where({ mailbox_id: mailbox.mailbox_id, dedupe }).first('mail_id')) return undefined;
    const mail_id = newId('mml', ctx.clock());
    const subject = storableText(parsed.subject);
    const thread = runs ? await addToThread(ctx, { mailbox, agent, parsed, from: verdict.from, tag: to.tag, mail_id }) : undefined;
    const about = { mail_id, correspondent: verdict.from, subject, message_id: parsed.messageId ?? null, thread_id: thread?.thread_id ?? null };
    await ctx.db('mail_messages').insert({
      mail_id,
      mailbox_id: mailbox.mailbox_id,
      thread_no: thread?.thread_no ?? null,
      direction: 'in',
      state: runs ? 'accepted' : 'skipped',
      why: decision.do === 'keep' ? decision.why : null,
      dedupe,
      message_id: parsed.messageId ?? null,
      in_reply_to: parsed.references,
      correspondent: verdict.from,
      subject,
      sha256,
      size_bytes,
      verdict: JSON.stringify({ spf: verdict.spf, dkim: verdict.dkim, dmarc: verdict.dmarc, arc: verdict.arc }),
      created_at: new Date(ctx.clock()),
      ...(!runs && { ended_at: new Date(ctx.clock()) }),
    });
    if (decision.do === 'keep') {
      await appendMailEvent(ctx.db, ctx.clock(), mailbox.mailbox_id, { kind: 'mail_skipped', why: decision.why, ...about });
      return undefined;
    }
    await appendMailEvent(ctx.db, ctx.clock(), mailbox.mailbox_id, { kind: 'mail_received', ...about });
    await startWorkflow(ctx, {
      type: 'deliverMail',
      workflowId: `mail:${mail_id}`,
      taskQueue: 'control',
      args: [{ mail_id }],
      searchAttributes: { SvcKind: 'mail', SvcAgent: agent.name, SvcOwner: agent.owner_id },
    });
    return undefined;
  });
}

export interface MailboxAgent {
  agent_id: string;
  name: string;
  owner_id: string;
  /** Of its owner. */
  email: string;
}

interface MailFacts {
  verdict: TakenMail['verdict'];
  automatic: boolean;
  size: number;
  now: number;
}

type Admission = { refusal: Refusal } | { refusal?: never; mailbox: MailboxesRow; agent: MailboxAgent; decision: ReturnType<typeof decideMail> };

/** Locked, mails to one mailbox are counted one after the other. */
async function lookAt(db: Knex, mailboxId: string, { verdict, automatic, size, now }: MailFacts, lock = false): Promise<Admission> {
  const query = db('mailboxes').where({ mailbox_id: mailboxId, state: 'ready' }).first();
  const mailbox = await (lock ? query.forUpdate() : query);
  const agent =
    mailbox &&
    (await db('agents as a')
      .join('users as u', 'u.user_id', 'a.owner_id')
      .where({ 'a.agent_id': mailbox.agent_id })
      .whereNull('a.deleted_at')
      .first('a.agent_id', 'a.name', 'a.owner_id', 'u.email'));
  if (!mailbox || !agent) return { refusal: { code: 550, message: '5.2.1 The mailbox is closed' } };
  const allowed = [agent.email.toLowerCase(), ...mailbox.allowed_senders, ...mailbox.declared_senders];
  const decision = decideMail({ verdict, automatic, allowed });
  const runs = decision.do === 'run';
  if (!runs && (await skippedToday(db, mailboxId, now)) >= MAX_SKIPPED_A_DAY)
    return { refusal: { code: 452, message: '4.2.2 The mailbox has reached its limit of mail of this kind for today' } };
  if (!(await hasRoom(db, mailboxId, size, runs))) return { refusal: { code: 552, message: '5.2.2 The mailbox is full' } };
  return { mailbox, agent, decision };
}

async function hasRoom(tx: Knex, mailboxId: string, size: number, runs: boolean): Promise<boolean> {
  if ((await storedBytes(tx, mailboxId)) + size > MAX_MAILBOX_BYTES) return false;
  return runs || (await storedBytes(tx, mailboxId, 'skipped')) + size <= MAX_SKIPPED_BYTES;
}

async function skippedToday(tx: Knex, mailboxId: string, now: number): Promise<number> {
  const rows = await tx('mail_messages')
    .where({ mailbox_id: mailboxId, state: 'skipped', direction: 'in' })
    .where('created_at', '>', new Date(now - 86_400_000))
    .limit(MAX_SKIPPED_A_DAY)
    .select('mail_id');
  return rows.length;
}

/** A peer that did not hear our 250 sends the same again, with other trace headers before it. */
function dedupeOf({ raw, envelopeFrom }: Incoming, messageId: string | undefined): string {
  const end = raw.indexOf('\r\n\r\n');
  const hash = createHash('sha256').update(JSON.stringify([messageId ?? null, envelopeFrom]));
  // Without an id of its own the whole mail is what tells it from others.
  return hash.update(messageId === undefined || end === -1 ? raw : raw.subarray(end)).digest('hex');
}

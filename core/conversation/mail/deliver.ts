// Gives a mail to its agent: a run of `on_email` in its owner's name. Its workflow may call this more than
// once: the mail's id makes the run one.
import { withoutEnd } from '#contract/wire/trim.ts';
import type { Knex } from 'knex';
import { MAX_ATTACHMENTS, MAX_EMAIL_INPUT_BYTES, type EmailAttachment, type EmailMessage, ON_EMAIL } from '#contract/wire/mail.ts';
import type { MailMessagesRow } from '#db/tables.ts';
import { type ParsedMail, parseMail } from '#drivers/mail/parse.ts';
import type { MailSkipReason } from '#contract/states.ts';
import { appendMailEvent } from '../../agents/mailbox/events.ts';
import { controlOf } from '../../accounts/control.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { system } from '../../kernel/act.ts';
import { blobBytes } from '../../workspace/blob/read.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import { startRun } from '../../runs/durable/start.ts';
import { storeAttachment } from './attachment.ts';

export type Delivered = 'done' | 'later';

/** What may pass: an agent that is being deployed, an account with too many runs. */
const PASSING = new Set(['agent_not_live', 'too_many_runs', 'account_suspended', 'setup_required']);
const TRIED_FOR_MS = 24 * 3_600_000;
/** How long the run may read the attachments. */
const GRANT_SECONDS = 24 * 3600;
/** Of the text, so that it fits with the rest. */
const MAX_BODY_BYTES = MAX_EMAIL_INPUT_BYTES - 128 * 1024;

export async function deliverMail(ctx: Ctx, mailId: string): Promise<Delivered> {
  const row = await ctx.db('mail_messages').where({ mail_id: mailId, direction: 'in', state: 'accepted' }).first();
  if (!row) return 'done';
  const place = await placeOf(ctx.db, row.mailbox_id);
  if (!place || place.state === 'removed') return skip(ctx, row, 'mailbox_closed');
  const input = inputOf(place.card);
  if (place.live && !input) return skip(ctx, row, 'no_on_email');
  const late = ctx.clock() - row.created_at.getTime() > TRIED_FOR_MS;
  if ((!input || (await controlOf(ctx.db, place.owner_id)).suspended) && !late) return 'later';
  const parsed = row.sha256 === null ? undefined : await parseMail(await blobBytes(ctx, row.sha256));
  if (!parsed) return skip(ctx, row, 'malformed');
  const message = await messageOf(ctx, row, parsed, place);
  try {
    await begin(ctx, row, place, message, input);
    return 'done';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (PASSING.has(error.code) && !late) return 'later';
    return skip(ctx, row, 'not_started', error.code);
  }
}

interface Place {
  state: string;
  owner_id: string;
  name: string;
  live: boolean;
  card: unknown;
}

async function placeOf(db: Knex, mailboxId: string): Promise<Place | undefined> {
  const row = await db('mailboxes as m')
    .join('agents as a', 'a.agent_id', 'm.agent_id')
    .where({ 'm.mailbox_id': mailboxId })
    .whereNull('a.deleted_at')
    .first('m.state', 'a.owner_id', 'a.name', 'a.live_deploy_id', 'a.card');
  return row && { state: row.state, owner_id: row.owner_id, name: row.name, live: row.live_deploy_id !== null, card: row.card };
}

/** Names of the arguments that it takes; null: any. Undefined: the agent has no such skill. */
function inputOf(card: unknown): { names: readonly string[] | null } | undefined {
  const skill = membersOf(card, 'skills').find((one) => isObject(one) && one['id'] === ON_EMAIL);
  if (!isObject(skill)) return undefined;
  const schema = skill['input_schema'];
  if (!isObject(schema) || !isObject(schema['properties']) || schema['additionalProperties'] !== false) return { names: null };
  return { names: Object.keys(schema['properties']) };
}

async function messageOf(ctx: Ctx, row: MailMessagesRow, parsed: ParsedMail, place: Place): Promise<EmailMessage> {
  const attachments: EmailAttachment[] = [];
  for (const [at, file] of parsed.attachments.slice(0, MAX_ATTACHMENTS).entries()) {
    const path = await storeAttachment(ctx, { ownerId: place.owner_id, path: `${folderOf(place, row)}/${at + 1}-${file.name}`, file });
    attachments.push({ name: file.name, content_type: file.contentType, size_bytes: file.content.length, path });
  }
  return {
    sender: row.correspondent,
    subject: row.subject,
    body: cut(parsed.text),
    message_id: row.message_id ?? `<${row.mail_id}@${ctx.drivers.mail?.domain ?? 'localhost'}>`,
    date: parsed.date ?? row.created_at.toISOString(),
    references: parsed.references,
    attachments,
  };
}

function folderOf(place: Pick<Place, 'name'>, row: Pick<MailMessagesRow, 'mail_id'>): string {
  return `mail/${place.name}/${row.mail_id}`;
}

async function begin(
  ctx: Ctx,
  row: MailMessagesRow,
  place: Place,
  message: EmailMessage,
  input: { names: readonly string[] | null } | undefined,
): Promise<void> {
  const args = Object.fromEntries(Object.entries(message).filter(([name]) => input?.names?.includes(name) ?? true));
  // The owner gave the agent its mailbox; the run begins as one of theirs.
  await system(ctx, async (ctx) => {
    const open = await ctx.db('mail_messages').where({ mail_id: row.mail_id, state: 'accepted' }).forUpdate().first('mail_id');
    if (!open) return;
    const grantId = message.attachments.some(({ path }) => path !== null) ? await grantFor(ctx, place, row) : undefined;
    const thread = row.thread_no === null ? undefined : await ctx.db('mail_threads').where({ thread_no: row.thread_no }).first('thread_id');
    const { job_id } = await startRun(ctx, {
      userId: place.owner_id,
      agent: place.name,
      skill: ON_EMAIL,
      args,
      title: `Mail from ${row.correspondent}`.slice(0, 200),
      idempotencyKey: `mail/${row.mail_id}`,
      mail: true,
      ...(grantId !== undefined && { grantId }),
      ...(thread?.thread_id != null && { threadId: thread.thread_id }),
    });
    await ctx.db('mail_messages').where({ mail_id: row.mail_id }).update({ state: 'running', job_id });
  });
}

/** The run may read what came with this mail, and nothing else of its owner's. */
async function grantFor(ctx: TxCtx, place: Place, row: MailMessagesRow): Promise<string> {
  const { grant } = await mintGrant(ctx, {
    userId: place.owner_id,
    audience: place.name,
    allow: [`${folderOf(place, row)}/**`],
    deny: [],
    mode: 'read_only',
    outputsPrefix: null,
    ttlSeconds: GRANT_SECONDS,
    reason: 'attachments of a mail',
  });
  return grant.grant_id;
}

async function skip(ctx: Ctx, row: MailMessagesRow, why: MailSkipReason, detail: string | null = null): Promise<Delivered> {
  await system(ctx, async (ctx) => {
    const moved = await ctx
      .db('mail_messages')
      .where({ mail_id: row.mail_id, state: 'accepted' })
      .update({ state: 'skipped', why, ended_at: new Date(ctx.clock()) });
    const { mail_id, correspondent, subject, message_id } = row;
    if (moved > 0)
      await appendMailEvent(ctx.db, ctx.clock(), row.mailbox_id, { kind: 'mail_skipped', why, detail, mail_id, correspondent, subject, message_id });
  });
  return 'done';
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= MAX_BODY_BYTES ? text : withoutEnd(bytes.subarray(0, MAX_BODY_BYTES).toString(), '\ufffd');
}

function membersOf(value: unknown, name: string): unknown[] {
  const member = isObject(value) ? value[name] : undefined;
  return Array.isArray(member) ? member : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

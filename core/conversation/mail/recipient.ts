// Whom an address of our domain belongs to.
import type { MailboxesRow } from '#db/tables.ts';
import type { Refusal } from '#drivers/mail/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { POSTMASTER } from './postmaster.ts';
import { readTag } from './tags.ts';

/** Local part of the addresses that bounces come to. */
export const BOUNCE = 'bounce';

const UNKNOWN: Refusal = { code: 550, message: '5.1.1 There is no such mailbox' };
const CLOSED: Refusal = { code: 550, message: '5.2.1 The mailbox is disabled' };
const LATER: Refusal = { code: 450, message: '4.2.1 The mailbox is being set up: try again later' };

export type MailRecipient =
  | { kind: 'mailbox'; mailbox: MailboxesRow; tag: string | undefined }
  /** The installation itself: for its operators. */
  | { kind: 'postmaster' }
  /** A report about a mail that we sent. */
  | { kind: 'bounce'; number: number };

/** A refusal where no mail is taken. `address` is in lower case. */
export async function findRecipient(ctx: Ctx, address: string): Promise<MailRecipient | Refusal> {
  const { mail, vault } = ctx.drivers;
  // The one address that needs no domain (RFC 5321, 4.5.1).
  if (mail && address === 'postmaster') return { kind: 'postmaster' };
  const at = address.lastIndexOf('@');
  const [name, tag] = splitOnce(address.slice(0, at), '+');
  if (!mail || address.slice(at + 1) !== mail.domain) return { code: 550, message: '5.7.1 This server takes mail for its own domain only' };
  if (POSTMASTER.has(name)) return { kind: 'postmaster' };
  if (name === BOUNCE) {
    const number = tag === undefined ? undefined : await readTag(vault, 'b', tag);
    return number === undefined ? UNKNOWN : { kind: 'bounce', number };
  }
  const mailbox = await ctx
    .db('mailboxes')
    .where({ address: `${name}@${mail.domain}` })
    .whereNot({ state: 'removed' })
    .first();
  if (!mailbox) return UNKNOWN;
  if (mailbox.state === 'ready') return { kind: 'mailbox', mailbox, tag };
  return mailbox.state === 'disabled' ? CLOSED : LATER;
}

function splitOnce(text: string, by: string): [string, string | undefined] {
  const at = text.indexOf(by);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

// A mail of the platform itself, to one address. Who sends one claims it in the database first: of two
// processes one sends it.
import { composeMail } from '#drivers/mail/compose.ts';
import { type Mail, SendFailed } from '#drivers/mail/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { signingKey } from './keys.ts';

/** A process that claimed a mail and died has not sent it: after this long another tries again. */
export const MAIL_CLAIM_MS = 300_000;
/** What could not be sent for so long is not news any more. */
export const MAIL_TRIED_MS = 86_400_000;

export interface OwnMail {
  to: string;
  subject: string;
  text: string;
  /** Before the @ of the message id: a mail program shows the same one once, should it come twice. */
  id: string;
}

/** False: not now, but it may be tried again. True also where the address takes no mail for good. */
export async function sendOwnMail(ctx: Ctx, mail: Mail, { to, subject, text, id }: OwnMail): Promise<boolean> {
  const key = { domain: mail.domain, selector: mail.selector, privateKey: await signingKey(ctx, mail) };
  const raw = await composeMail(
    {
      automatic: 'auto-generated',
      fromName: 'svc',
      from: `no-reply@${mail.domain}`,
      to,
      subject,
      text,
      messageId: `<${id}@${mail.domain}>`,
      inReplyTo: undefined,
      references: [],
      date: new Date(ctx.clock()),
    },
    key,
  );
  try {
    await mail.send({ envelopeFrom: '', to, raw });
    return true;
  } catch (error) {
    if (!(error instanceof SendFailed)) throw error;
    return error.permanent;
  }
}

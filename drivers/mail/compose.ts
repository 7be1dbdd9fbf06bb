// What we send: one text to one person, an answer in its conversation or a notice. The same facts give the
// same bytes, so sending again sends the same mail.
import MailComposer from 'nodemailer/lib/mail-composer'; // writes MIME, folds and encodes headers
import { dkimSign } from 'mailauth'; // signs by RFC 6376

export interface Message {
  /** RFC 3834: an answer to their mail, or generated automatically. Programs answer neither. */
  automatic: 'auto-replied' | 'auto-generated';
  /** Name shown before the address. */
  fromName: string;
  from: string;
  replyTo?: string;
  to: string;
  subject: string;
  text: string;
  messageId: string;
  inReplyTo: string | undefined;
  references: readonly string[];
  date: Date;
}

export interface SigningKey {
  domain: string;
  selector: string;
  /** PEM. */
  privateKey: string;
}

export async function composeMail(message: Message, key: SigningKey): Promise<Buffer> {
  const composer = new MailComposer({
    from: { name: message.fromName, address: message.from },
    ...(message.replyTo !== undefined && { replyTo: message.replyTo }),
    to: message.to,
    subject: message.subject,
    text: message.text,
    messageId: message.messageId,
    date: message.date,
    ...(message.inReplyTo !== undefined && { inReplyTo: message.inReplyTo }),
    ...(message.references.length > 0 && { references: [...message.references] }),
    headers: { 'Auto-Submitted': message.automatic, 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const raw = await composer.compile().build();
  const signer = { signingDomain: key.domain, selector: key.selector, privateKey: key.privateKey };
  const { signatures, errors } = await dkimSign(raw, {
    canonicalization: 'relaxed/relaxed',
    signTime: message.date,
    // Its types ask for the key in both places; it reads the list.
    ...signer,
    signatureData: [signer],
  });
  if (errors.length > 0 || signatures === '') throw new Error('the mail could not be signed: is the key damaged?');
  return Buffer.concat([Buffer.from(signatures), raw]);
}

/** What somebody named something, as a part of one line. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 120);
}

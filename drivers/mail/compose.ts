// What we send: one text to one person, an answer in its conversation. The same facts give the same bytes, so sending again sends the same mail.
import MailComposer from 'nodemailer/lib/mail-composer'; // writes MIME, folds and encodes headers
import { dkimSign } from 'mailauth'; // signs by RFC 6376

export interface Answer {
  /** Name shown before the address. */
  fromName: string;
  from: string;
  replyTo: string;
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

export async function composeAnswer(answer: Answer, key: SigningKey): Promise<Buffer> {
  const composer = new MailComposer({
    from: { name: answer.fromName, address: answer.from },
    replyTo: answer.replyTo,
    to: answer.to,
    subject: answer.subject,
    text: answer.text,
    messageId: answer.messageId,
    date: answer.date,
    ...(answer.inReplyTo !== undefined && { inReplyTo: answer.inReplyTo }),
    ...(answer.references.length > 0 && { references: [...answer.references] }),
    // RFC 3834: programs do not answer it.
    headers: { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const raw = await composer.compile().build();
  const signer = { signingDomain: key.domain, selector: key.selector, privateKey: key.privateKey };
  const { signatures, errors } = await dkimSign(raw, {
    canonicalization: 'relaxed/relaxed',
    signTime: answer.date,
    // Its types ask for the key in both places; it reads the list.
    ...signer,
    signatureData: [signer],
  });
  if (errors.length > 0 || signatures === '') throw new Error('the mail could not be signed: is the key damaged?');
  return Buffer.concat([Buffer.from(signatures), raw]);
}

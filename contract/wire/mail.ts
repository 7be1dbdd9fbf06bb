// Mail to and from agents: what the skill `on_email` gets and gives, who may write, and the limits.
import { z } from 'zod';

/** Gets every mail that an allowed sender writes to the agent's mailbox. */
export const ON_EMAIL = 'on_email';

const MAX_ALLOWED_SENDERS = 50;
/** By one mailbox in 24 hours; what exceeds it lands in the thread only. */
export const MAX_SENT_A_DAY = 50;
/** To one address by one mailbox in 24 hours: two programs that answer each other stop here. */
export const MAX_SENT_A_DAY_TO_ONE = 20;
/** What a mailbox keeps. */
export const MAX_MAILBOX_BYTES = 100 * 1024 * 1024;
/** Of one mail as it comes over the wire. */
export const MAX_MAIL_BYTES = 10 * 1024 * 1024;
export const MAX_MAIL_RECIPIENTS = 50;
export const MAX_ATTACHMENTS = 20;
/** Of the arguments of `on_email`, as JSON in UTF-8. */
export const MAX_EMAIL_INPUT_BYTES = 1024 * 1024;
/** Characters of an answer. */
const MAX_REPLY_LENGTH = 256 * 1024;
/** Mail is kept so long after it came or was sent; the events say longer what was. */
export const MAIL_DAYS = 30;
/** `<agent>+<tag>@…` has 64 characters before the `@` at most (RFC 5321). */
export const MAX_MAILBOX_NAME = 36;

const DOMAIN = '(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.){1,8}[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const LOCAL = "[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(?:\\.[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}){0,8}";

export const MailDomain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(new RegExp(`^${DOMAIN}$`), 'write a domain, e.g. "agents.example.com"');

/** Without quotes, comments or characters outside of ASCII; compared in lower case. */
export const MailAddress = z
  .string()
  .max(254)
  .regex(new RegExp(`^(?=[^@]{1,64}@)${LOCAL}@${DOMAIN}$`, 'i'), 'write one address, e.g. "ada@example.com"');

const AllowedSender = z
  .string()
  .max(254)
  .regex(new RegExp(`^(?:(?=[^@*]{1,64}@)${LOCAL})?@${DOMAIN}$`, 'i'), 'write an address ("ada@example.com") or a whole domain ("@example.com")')
  .meta({ examples: ['ada@example.com', '@example.com'] });

export const AllowedSenders = z.array(AllowedSender).max(MAX_ALLOWED_SENDERS);

/** `mailbox` in svc.yaml. */
export const MailboxDeclaration = z.strictObject({ allowed_senders: AllowedSenders.default([]) });
export type MailboxDeclaration = z.infer<typeof MailboxDeclaration>;

/** Of a mail, as a file in the workspace of the agent's owner, which the run may read. */
export const EmailAttachment = z.strictObject({
  name: z.string(),
  content_type: z.string(),
  size_bytes: z.int().min(0),
  path: z
    .string()
    .nullable()
    .meta({ description: 'In the workspace of the agent’s owner; null: it was not stored, since the workspace is full or there were too many.' }),
});
export type EmailAttachment = z.infer<typeof EmailAttachment>;

export const EmailMessage = z.strictObject({
  sender: z.string().meta({ description: 'Address in From, authenticated and allowed.' }),
  subject: z.string(),
  body: z.string().meta({ description: 'As text. For a mail that has only HTML, the text of the HTML.' }),
  message_id: z.string(),
  date: z.string().meta({ description: 'RFC 3339; when the mail came, where it names no date.' }),
  references: z.array(z.string()).meta({ description: 'Message-IDs of the mails before it in its thread, oldest first.' }),
  attachments: z.array(EmailAttachment),
});
export type EmailMessage = z.infer<typeof EmailMessage>;

/** What `on_email` returns: text, this, or nothing for no answer. */
export const EmailReply = z.strictObject({ body: z.string().max(MAX_REPLY_LENGTH), subject: z.string().max(500).nullable().optional() });
export type EmailReply = z.infer<typeof EmailReply>;

// A mail as text and files. Its sender is untrusted: everything is bounded and checked.
import PostalMime, { type Attachment, type Email } from 'postal-mime'; // MIME parser with limits on nesting and headers
import { MAX_HEADER_BYTES } from './guard.ts';
import { textOfHtml } from './html-text.ts';

const MAX_DEPTH = 20;
const MAX_REFERENCES = 50;
const MAX_SUBJECT = 500;

export interface ParsedMail {
  subject: string;
  text: string;
  /** With its angle brackets; undefined: none, or none that can be written into a header. */
  messageId: string | undefined;
  /** Message-IDs of In-Reply-To and References, oldest first. */
  references: string[];
  /** RFC 3339; undefined: none that can be read. */
  date: string | undefined;
  /** Of every header, in lower case; the first value of each. */
  headers: ReadonlyMap<string, string>;
  attachments: { name: string; contentType: string; content: Buffer }[];
}

/** Undefined: it is nested too deeply, or is no MIME. */
export async function parseMail(raw: Buffer): Promise<ParsedMail | undefined> {
  const options = { maxNestingDepth: MAX_DEPTH, maxHeadersSize: MAX_HEADER_BYTES * 2, maxRfc822NestingDepth: 0, attachmentEncoding: 'arraybuffer' } as const;
  const mail = await new PostalMime(options).parse(raw).catch(() => undefined);
  if (!mail) return undefined;
  const headers = new Map<string, string>();
  for (const { key, value } of mail.headers) if (!headers.has(key)) headers.set(key, value);
  return {
    subject: oneLine(mail.subject ?? '', MAX_SUBJECT),
    text: mail.text ?? textOfHtml(mail.html ?? ''),
    messageId: idsIn(mail.messageId)[0],
    references: referencesOf(mail),
    date: dateOf(mail.date),
    headers,
    attachments: mail.attachments.map(fileOf),
  };
}

const ID = /<[\x21-\x3b\x3d\x3f\x41-\x7e]{1,200}@[\x21-\x3b\x3d\x3f\x41-\x7e]{1,200}>/g;

/**
 * Message-IDs as they may be written into a header again. Some programs leave out the brackets: where all
 * words are ids, they are added.
 */
function idsIn(given: string | undefined): string[] {
  const text = (given ?? '').slice(0, 32_768);
  if (text.includes('<')) return text.match(ID) ?? [];
  const ids = text.split(/[\s,]+/).flatMap((word) => (word === '' ? [] : [`<${word}>`]));
  return ids.every((id) => id.match(ID)?.[0] === id) ? ids : [];
}

/** Without what could begin another line, or make a reader write from right to left. */
export function oneLine(text: string, max: number): string {
  return (
    text
      .slice(0, max * 4)
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
      .trim()
      .slice(0, max)
      .toWellFormed()
  );
}

function referencesOf({ references, inReplyTo }: Email): string[] {
  const all = [...new Set([...idsIn(references), ...idsIn(inReplyTo).slice(0, 1)])];
  // The first says which conversation it is, the last ones where it stands.
  return all.length <= MAX_REFERENCES ? all : [...all.slice(0, 1), ...all.slice(1 - MAX_REFERENCES)];
}

function dateOf(text: string | undefined): string | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) || at < 0 || at > 253_402_300_799_999 ? undefined : new Date(at).toISOString();
}

function fileOf({ filename, mimeType, content }: Attachment) {
  return {
    name: fileName(filename),
    contentType: /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(mimeType) ? mimeType : 'application/octet-stream',
    content:
      typeof content === 'string'
        ? Buffer.from(content)
        : content instanceof ArrayBuffer
          ? Buffer.from(content)
          : Buffer.from(content.buffer, content.byteOffset, content.byteLength),
  };
}

/** One segment of a path, from any name. */
function fileName(given: string | null): string {
  const name = oneLine(given ?? '', 100)
    .normalize('NFC')
    .replace(/[/\\:*?"<>|%#]+/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  return name === '' ? 'attachment' : name;
}

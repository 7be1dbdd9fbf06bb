// What no honest program sends, refused before anything else reads the mail.
import type { Refusal } from './port.ts';

/** RFC 5322, 2.1.1. */
const MAX_LINE = 998;
export const MAX_HEADER_BYTES = 256 * 1024;
const MAX_HEADERS = 500;
/** Headers that a mail has once (RFC 5322, 3.6): of two, readers believe different ones. */
const ONCE = new Set(['from', 'sender', 'reply-to', 'to', 'cc', 'subject', 'date', 'message-id', 'in-reply-to', 'references', 'mime-version', 'content-type']);

export function refusalOf(raw: Buffer): Refusal | undefined {
  if (hasBareBreak(raw)) return { code: 550, message: '5.6.0 Lines must end with CR LF: a lone CR or LF is refused' };
  const end = raw.indexOf('\r\n\r\n');
  const header = raw.subarray(0, end === -1 ? raw.length : end);
  if (header.length > MAX_HEADER_BYTES) return { code: 552, message: `5.3.4 The header is larger than ${MAX_HEADER_BYTES} bytes` };
  const lines = header.toString('latin1').split('\r\n');
  if (lines.some((line) => line.length > MAX_LINE)) return { code: 550, message: `5.6.0 A header line is longer than ${MAX_LINE} characters` };
  if (header.includes(0)) return { code: 550, message: '5.6.0 The header holds a NUL' };
  const names = lines.filter((line) => !/^[ \t]/.test(line)).map((line) => /^([\x21-\x39\x3b-\x7e]{1,100})[ \t]*:/.exec(line)?.[1]?.toLowerCase());
  if (names.length > MAX_HEADERS) return { code: 550, message: `5.6.0 There are more than ${MAX_HEADERS} headers` };
  if (names.includes(undefined) || /^[ \t]/.test(lines[0] ?? '')) return { code: 550, message: '5.6.0 A line of the header is no header' };
  const twice = names.find((name, at) => name !== undefined && ONCE.has(name) && names.indexOf(name) !== at);
  if (twice !== undefined) return { code: 550, message: `5.6.0 There are two headers ${twice}` };
  if (!names.includes('from')) return { code: 550, message: '5.6.0 There is no header From' };
  return undefined;
}

function hasBareBreak(raw: Buffer): boolean {
  for (let at = raw.indexOf(0x0a); at !== -1; at = raw.indexOf(0x0a, at + 1)) if (raw[at - 1] !== 0x0d) return true;
  for (let at = raw.indexOf(0x0d); at !== -1; at = raw.indexOf(0x0d, at + 1)) if (raw[at + 1] !== 0x0a) return true;
  return false;
}

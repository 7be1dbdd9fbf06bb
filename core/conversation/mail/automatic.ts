// Whether a program wrote a mail, and so must not be answered (RFC 3834, and what mail programs do beside
// it).

const SERVICE_NAMES = /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?|listserv|majordomo)(?:[+-].*)?@/;
const LISTS = ['list-id', 'list-unsubscribe', 'list-post', 'x-autoreply', 'x-autorespond', 'x-auto-response-suppress', 'feedback-id', 'x-failed-recipients'];

export function isAutomatic({ envelopeFrom, from, headers }: { envelopeFrom: string; from: string; headers: ReadonlyMap<string, string> }): boolean {
  const value = (name: string): string => (headers.get(name) ?? '').trim().toLowerCase();
  if (envelopeFrom === '' || SERVICE_NAMES.test(envelopeFrom) || SERVICE_NAMES.test(from)) return true;
  if (headers.has('auto-submitted') && !/^no\s*(?:[;(]|$)/.test(value('auto-submitted'))) return true;
  if (/^(?:bulk|list|junk|auto_reply)$/.test(value('precedence'))) return true;
  if (LISTS.some((name) => headers.has(name))) return true;
  return value('content-type').startsWith('multipart/report') || value('return-path') === '<>';
}

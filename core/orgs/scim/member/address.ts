// Whom the organization invites for a user: the primary address of mail, else the one for work, else the
// first, else a userName that is one.
import type { Document } from '../schema/attribute.ts';

const ADDRESS = /^[^\s@"<>(),;:\\[\]]{1,64}@(?=.{1,190}$)[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u;

/** Lower case; null: there is none. */
export function addressOf(document: Document): string | null {
  const emails = [document['emails'] ?? []].flat().map((one) => ({ ...Object(one) }) as { value?: unknown; type?: unknown; primary?: unknown });
  const chosen = emails.find(({ primary }) => primary === true) ?? emails.find(({ type }) => String(type).toLowerCase() === 'work') ?? emails[0];
  for (const text of [chosen?.value, document['userName']]) {
    const address = typeof text === 'string' ? text.trim().toLowerCase() : '';
    if (ADDRESS.test(address)) return address;
  }
  return null;
}

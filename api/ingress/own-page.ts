// A browser's word that a request was made by a page of the same origin; programs, which send neither header,
// count as such.
import type { IncomingMessage } from 'node:http';

export function fromOwnPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin === undefined || URL.parse(headers.origin)?.host === headers.host;
}

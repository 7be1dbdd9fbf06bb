// RFC 9112 §3.2: what follows the method. A server takes the absolute form too, and goes by the host in it.
import type { IncomingMessage } from 'node:http';

/**
 * Leaves `/path?query` in `request.url`; false for a target that is neither that nor an address of HTTP, and
 * for a second Host (§3.2): a server that reads on might go by the other one.
 */
export function toOriginForm(request: IncomingMessage): boolean {
  const { url = '', rawHeaders: given } = request;
  let hosts = 0;
  for (let i = 0; i < given.length; i += 2) if (given[i]?.length === 4 && given[i]?.toLowerCase() === 'host') hosts += 1;
  if (hosts > 1) return false;
  if (url.startsWith('/')) return true;
  const address = /^https?:\/\//i.test(url) ? URL.parse(url) : null;
  if (!address) return false;
  request.url = address.pathname + address.search;
  request.headers.host = address.host;
  for (let i = 0; i + 1 < given.length; i += 2) if (given[i]?.toLowerCase() === 'host') given[i + 1] = address.host;
  return true;
}

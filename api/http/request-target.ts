// RFC 9112 §3.2: what follows the method. A server takes the absolute form too, and goes by the host in it.
import type { IncomingMessage } from 'node:http';

/** Leaves `/path?query` in `request.url`; false for a target that is neither that nor an address of HTTP. */
export function toOriginForm(request: IncomingMessage): boolean {
  const { url = '' } = request;
  if (url.startsWith('/')) return true;
  const address = /^https?:\/\//i.test(url) ? URL.parse(url) : null;
  if (!address) return false;
  request.url = address.pathname + address.search;
  request.headers.host = address.host;
  const { rawHeaders } = request;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') rawHeaders[i + 1] = address.host;
  return true;
}

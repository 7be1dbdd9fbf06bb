// Browsers reach a server on this machine under any name whose owner points it here (DNS rebinding). A server
// without a key is guarded by the name.
import type { IncomingMessage } from 'node:http';
import { isLoopbackAddress } from '../../../contract/wire/internet.ts';
import { HttpError } from './http.ts';

const LOOPBACK = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|(?:[a-z0-9-]+\.)*localhost)$/;

/**
 * A page names its origin, which must be the agent's own; and where nothing but reachability guards the
 * agent, the name must be this machine's.
 * @throws HttpError 403
 */
export function refuseForeignPages(req: IncomingMessage, keyed: boolean): void {
  const { origin, host } = req.headers;
  if (origin !== undefined && URL.parse(origin)?.host !== host) throw new HttpError('cross_site', 'pages of this origin may not call the agent');
  if (keyed || !isLocal(req)) return;
  if (!LOOPBACK.test((host ?? '').toLowerCase().replace(/:\d+$/, ''))) {
    throw new HttpError('cross_site', 'call the agent as localhost or 127.0.0.1; under another name a page elsewhere could');
  }
}

/** A socket that is not TCP (a host hands connections over) has no address. */
function isLocal({ socket: { localAddress } }: IncomingMessage): boolean {
  return localAddress !== undefined && isLoopbackAddress(localAddress);
}

// Documents of other people's agents: read whole, within bounds, along a few redirects that are judged like
// the first address.
import { isDeeperThan, parsed } from './text.ts';
import { faultOf, type Network } from './network.ts';
import { type Place, RemoteFault } from './port.ts';

const MAX_CARD_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;
const MAX_REDIRECTS = 5;

/** `status` 200 has a document; `value` undefined: it is not JSON. */
export interface Read {
  status: number;
  value: unknown;
  /** Where it was in the end. */
  url: string;
  /** What its server asks for with a 401 (RFC 9110). */
  challenge: string | undefined;
}

/** @throws RemoteFault */
export async function readDocument(network: Network, place: Place, url: string): Promise<Read> {
  // A credential stays at the origin that the importer named.
  const send = network.fetchFor(new URL(place.url).origin, place.credentials);
  let at = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const response = await send(at, { headers: { accept: 'application/json, application/a2a+json' }, signal: place.signal });
    const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (next === null) {
      const text = await readText(response, at, place.signal);
      const value = response.status === 200 ? parsed(text) : undefined;
      if (isDeeperThan(value, MAX_DEPTH)) throw new RemoteFault('remote_card_invalid', `The document at ${at} is nested more than ${MAX_DEPTH} deep`);
      return { status: response.status, value, url: at, challenge: response.headers.get('www-authenticate') ?? undefined };
    }
    await response.body?.cancel();
    const target = URL.parse(next, at);
    if (!target) throw new RemoteFault('remote_unreachable', `${new URL(at).origin} redirects to what is no address`);
    at = target.href;
  }
  throw new RemoteFault('remote_unreachable', `${new URL(url).origin} redirects more than ${MAX_REDIRECTS} times`);
}

/** @throws RemoteFault */
export async function readText(response: Response, url: string, signal: AbortSignal, most = MAX_CARD_BYTES): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of response.body ?? []) {
      bytes += piece.byteLength;
      if (bytes > most) throw new RemoteFault('remote_too_large', `${new URL(url).origin} answers with more than ${most} bytes`);
      pieces.push(piece);
    }
  } catch (error) {
    throw faultOf(error, new URL(url), signal);
  }
  return Buffer.concat(pieces).toString();
}

// fetch for addresses that users name: connects to the very address that was checked (no rebinding), follows
// no redirects, and reads no more than its limit.
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import { openTarget } from '../outbound/connect.ts';
import { resolveHost, type Lookup } from '../outbound/lookup.ts';
import { isLocalHost, portOf, type LocalHosts } from './address.ts';

export interface OutboundOptions {
  localHosts: LocalHosts;
  lookup?: Lookup | undefined;
  connectMs: number;
  /** Until the answer starts, and between two pieces of it. */
  silenceMs: number;
  /** Of one answer; what a refusal says is cut much earlier. */
  maxBytes: number;
  /** Certificate authorities beside the system's own. */
  ca?: string;
  /** What this side shows of itself (mutual TLS), PEM. */
  client?: { cert: string; key: string };
  /** `manual`: the answer that redirects is the answer. Default: it is an error. */
  redirect?: 'error' | 'manual';
}

const maxRefusalBytes = 65_536;

/** The answer was longer than any answer is. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

/**
 * To one host. Many accounts use the same vendor, and slow answers of some must not keep the others from it:
 * what an account may do at a time is its limit.
 */
const connections = 1_024;

/** Connections to such addresses, kept for the next request. */
export function outboundAgent(o: OutboundOptions): Agent {
  return new Agent({ connect: connector(o), headersTimeout: o.silenceMs, bodyTimeout: o.silenceMs, connections, pipelining: 1 });
}

export function outboundFetch(o: OutboundOptions): { fetch: typeof fetch; close(): Promise<void> } {
  const agent = outboundAgent(o);
  const send: typeof undiciFetch = async (url, init) => {
    const response = await undiciFetch(url, { ...init, dispatcher: agent, redirect: o.redirect ?? 'error' });
    const limit = response.ok ? o.maxBytes : maxRefusalBytes;
    // Of a stream that was decoded already, the old length and encoding no longer hold.
    const headers = [...response.headers].filter(([name]) => name !== 'content-encoding' && name !== 'content-length');
    return asResponse(new Response(response.body?.pipeThrough(bounded(limit)) ?? null, { status: response.status, headers }));
  };
  return { fetch: asFetch(send), close: () => agent.destroy() };
}

function connector(o: OutboundOptions): buildConnector.connector {
  const secure = buildConnector({ ...(o.ca === undefined ? {} : { ca: o.ca }), ...o.client, timeout: o.connectMs });
  return (to, done) => {
    const port = portOf(to);
    const mayBeInternal = isLocalHost(o.localHosts, to.hostname, port);
    openTarget({ host: to.hostname.replace(/^\[|\]$/g, ''), port, mayBeInternal }, o.lookup ?? resolveHost, o.connectMs).then(
      (socket) => (to.protocol === 'https:' ? secure({ ...to, httpSocket: socket }, done) : done(null, socket)),
      (error: unknown) => done(error instanceof Error ? error : new Error('no connection'), null),
    );
  };
}

function bounded(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(bytes, controller) {
      seen += bytes.byteLength;
      if (seen > limit) controller.error(new TooLong(`the answer is longer than ${limit} bytes`));
      else controller.enqueue(bytes);
    },
  });
}

// Safe: undici's fetch is the one Node's global is made of; the two differ in where their types were
// declared.
function asFetch(send: typeof undiciFetch): typeof fetch {
  return send as unknown as typeof fetch;
}

// Safe: as above; a body of Node's own streams is one to undici, too.
function asResponse(response: Response): Awaited<ReturnType<typeof undiciFetch>> {
  return response as unknown as Awaited<ReturnType<typeof undiciFetch>>;
}

// The way out to other people's agents: every connection goes to the very address that was judged, nothing is
// read without bound, and a credential is sent to the agent's own origin and nowhere else.
import { createHash } from 'node:crypto';
import { addressProblem, type LocalHosts } from '../llm/address.ts';
import { outboundFetch, TooLong } from '../llm/outbound.ts';
import { EgressRefused } from '../outbound/connect.ts';
import type { Lookup } from '../outbound/lookup.ts';
import { type Credential, type Credentials, RemoteFault } from './port.ts';

export interface NetworkOptions {
  /**
   * `host` or `host:port` that the operator allows although it is internal, over plain HTTP too. Default:
   * none.
   */
  localHosts?: LocalHosts | undefined;
  lookup?: Lookup | undefined;
  connectMs?: number;
  /** Until an answer starts, and between two pieces of it. */
  silenceMs?: number;
}

export interface Network {
  problemOf(url: string): string | undefined;
  /** Shows `credentials` to `origin`; redirects are answers, not followed. Rejects with RemoteFault. */
  fetchFor(origin: string, credentials: Credentials): typeof fetch;
  close(): Promise<void>;
}

const LOCAL_HOSTS_SETTING = 'SVC_IMPORT_LOCAL_HOSTS';
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Client certificates with connections of their own; the one unused for longest goes first. */
const MAX_CLIENTS = 256;

type Outbound = ReturnType<typeof outboundFetch>;
type Certificate = Extract<Credential, { kind: 'mtls' }>;

export function createNetwork({ localHosts = [], lookup, connectMs = 10_000, silenceMs = 630_000 }: NetworkOptions): Network {
  const options = { localHosts, connectMs, silenceMs, maxBytes: MAX_ANSWER_BYTES, redirect: 'manual' as const, ...(lookup && { lookup }) };
  const plain = outboundFetch(options);
  const certified = new Map<string, Outbound>();

  const outboundFor = (certificate: Certificate | undefined): Outbound => {
    if (!certificate) return plain;
    const { cert, key, ca } = certificate;
    const id = createHash('sha256')
      .update(JSON.stringify([cert, key, ca]))
      .digest('hex');
    const outbound = certified.get(id) ?? outboundFetch({ ...options, client: { cert, key }, ...(ca === null ? {} : { ca }) });
    certified.delete(id);
    certified.set(id, outbound);
    const [oldest] = certified.keys();
    if (certified.size > MAX_CLIENTS && oldest !== undefined) {
      void certified.get(oldest)?.close();
      certified.delete(oldest);
    }
    return outbound;
  };
  const problemOf = (url: string): string | undefined => addressProblem(withoutQuery(url), localHosts, LOCAL_HOSTS_SETTING);

  return {
    problemOf,
    fetchFor(origin, credentials) {
      const send = async (input: string | URL, init: RequestInit | undefined, shown: readonly Credential[]): Promise<Response> => {
        const url = new URL(input);
        const problem = problemOf(url.href);
        if (problem !== undefined) throw new RemoteFault('remote_address_refused', `${url.origin} cannot be used: it ${problem}`);
        const headers = new Headers(init?.headers);
        const own = url.origin === origin ? shown : [];
        for (const credential of own) show(credential, headers, url);
        const certificate = own.find((one): one is Certificate => one.kind === 'mtls');
        try {
          return await outboundFor(certificate).fetch(url, { ...init, headers });
        } catch (error) {
          throw faultOf(error, url, init?.signal ?? undefined);
        }
      };
      return async (input, init) => {
        const target = input instanceof Request ? input.url : input;
        const shown = await credentials.current();
        const first = await send(target, init, shown);
        if (first.status !== 401 || !credentials.renewed) return first;
        const newer = await credentials.renewed(shown);
        if (!newer) return first;
        await first.body?.cancel();
        return send(target, init, newer);
      };
    },
    async close() {
      await Promise.all([plain, ...certified.values()].map((one) => one.close()));
    },
  };
}

function show(credential: Credential, headers: Headers, url: URL): void {
  if (credential.kind === 'bearer') headers.set('authorization', `${credential.scheme} ${credential.token}`);
  if (credential.kind !== 'api_key') return;
  if (credential.location === 'header') headers.set(credential.name, credential.value);
  else url.searchParams.set(credential.name, credential.value);
}

/** What went wrong on the way, in words that are the same for an internal name and for an unknown one. */
export function faultOf(error: unknown, url: URL, signal: AbortSignal | undefined): RemoteFault {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof RemoteFault) return one;
    if (one instanceof TooLong) return new RemoteFault('remote_too_large', `The answer of ${url.origin} is larger than may be read`);
    if (one instanceof EgressRefused)
      return new RemoteFault(one.status === 504 ? 'remote_timeout' : one.status === 403 ? 'remote_address_refused' : 'remote_unreachable', one.message);
    if (one.name === 'HeadersTimeoutError' || one.name === 'BodyTimeoutError' || one.name === 'TimeoutError') return timeout(url);
  }
  if (signal?.aborted === true && signal.reason instanceof Error && signal.reason.name === 'TimeoutError') return timeout(url);
  const why = error instanceof Error && error.cause instanceof Error ? codeOf(error.cause) : undefined;
  return new RemoteFault('remote_unreachable', `${url.origin} cannot be reached${why === undefined ? '' : ` (${why})`}`);
}

function timeout(url: URL): RemoteFault {
  return new RemoteFault('remote_timeout', `${url.origin} did not answer in time`);
}

/** Of a refused certificate among others: `DEPTH_ZERO_SELF_SIGNED_CERT` says what to mend. */
function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A key may travel in the query; an address that people name has none. */
function withoutQuery(url: string): string {
  return url.split('?')[0] ?? url;
}

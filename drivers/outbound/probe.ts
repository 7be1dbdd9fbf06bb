// Asks an address of the installation's own as anybody outside would: by its name, and with a certificate
// that everyone trusts.
import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';

export interface Probe {
  status: number;
  body: string;
  /** The answering machine's clock, by its Date header; milliseconds since the epoch. */
  clock: number | undefined;
  /** When its certificate ends; milliseconds since the epoch; undefined: plain http. */
  certificateEnds: number | undefined;
}

type Why = 'no_such_name' | 'refused' | 'silent' | 'certificate_expired' | 'certificate_of_another_name' | 'certificate_untrusted' | 'broken';

export class Unreached extends Error {
  readonly why: Why;
  constructor(why: Why, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.why = why;
  }
}

const MOST_BYTES = 64 * 1024;

/** Follows no redirect. @throws Unreached */
export async function probe(url: string, { timeoutMs = 8_000 } = {}): Promise<Probe> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await answerOf(url, signal);
    const { date } = response.headers;
    const ends = response.socket instanceof TLSSocket ? response.socket.getPeerCertificate().valid_to : undefined;
    const body = await text(firstBytes(response));
    const clock = date === undefined ? Number.NaN : Date.parse(date);
    return {
      status: response.statusCode ?? 0,
      body,
      clock: Number.isNaN(clock) ? undefined : clock,
      certificateEnds: ends === undefined ? undefined : Date.parse(ends),
    };
  } catch (error) {
    throw new Unreached(signal.aborted ? 'silent' : reasonOf(error), error);
  }
}

function answerOf(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  const ask = url.startsWith('https:') ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    ask(url, { signal, agent: false, headers: { accept: 'application/json' } }, resolve)
      .once('error', reject)
      .end();
  });
}

async function* firstBytes(response: IncomingMessage): AsyncGenerator<Buffer> {
  let left = MOST_BYTES;
  for await (const piece of response as AsyncIterable<Buffer>) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

const REASONS: Readonly<Record<string, Why>> = {
  ENOTFOUND: 'no_such_name',
  EAI_AGAIN: 'no_such_name',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'silent',
  EHOSTUNREACH: 'silent',
  ENETUNREACH: 'silent',
  CERT_HAS_EXPIRED: 'certificate_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_of_another_name',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_untrusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_untrusted',
};

function reasonOf(error: unknown): Why {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : '';
  return REASONS[code] ?? 'broken';
}

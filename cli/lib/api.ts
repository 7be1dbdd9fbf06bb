// The control plane as the tool sees it: the typed client with a token that renews itself.
import { createClient, type Client } from '#contract/client.ts';
import type { Contract } from '#contract/index.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { readTraceparent, TRACEPARENT, TRACEPARENT_VARIABLE, writeTraceparent } from '#contract/wire/trace-context.ts';
import type { Session } from '../login/session.ts';

export type Api = Client<Contract>;

interface ApiOptions {
  signal?: AbortSignal;
  trace?: string;
  /** Slug of the organization that it acts for. */
  organization?: string | undefined;
}

/** `signal` ends every request of it; `trace`: what its calls continue. */
export function createApi(baseUrl: string, session: Session | undefined, { signal, trace, organization }: ApiOptions = {}): Api {
  const send = withHeader(withHeader(session ? renewing(session) : fetch, TRACEPARENT, trace), HEADER.organization, organization);
  return createClient({
    baseUrl,
    token: session ? () => session.token() : undefined,
    fetch: signal ? (input, init) => send(input, { ...init, signal }) : send,
  });
}

/**
 * Of one command: the trace of the program that started it (TRACEPARENT), or one of its own, of which no span
 * is recorded here.
 */
export function traceOf(env: Readonly<Record<string, string | undefined>>): string {
  const given = readTraceparent(env[TRACEPARENT_VARIABLE]);
  const hex = (bytes: number): string => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
  return writeTraceparent(given ?? { trace_id: hex(16), span_id: hex(8), sampled: false });
}

function withHeader(send: typeof fetch, name: string, value: string | undefined): typeof fetch {
  if (value === undefined) return send;
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set(name, value);
    return send(input, { ...init, headers });
  };
}

/**
 * Asks once more when the token was refused, with a newer one; never when the body is a stream that has been
 * read.
 */
function renewing(session: Session): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 401 || init?.body instanceof ReadableStream) return response;
    const headers = new Headers(init?.headers);
    const refused = headers.get('authorization')?.replace(/^Bearer /, '');
    const token = refused === undefined ? undefined : await session.renew(refused);
    if (token === undefined) return response;
    await response.body?.cancel();
    headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
}

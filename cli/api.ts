// The control plane as the tool sees it: the typed client with a token that renews itself.
import { createClient, type Client } from '#contract/client.ts';
import type { Contract } from '#contract/index.ts';
import type { Session } from './session.ts';

export type Api = Client<Contract>;

/** `signal` ends every request of it. */
export function createApi(baseUrl: string, session: Session | undefined, signal?: AbortSignal): Api {
  const send = session ? renewing(session) : fetch;
  return createClient({
    baseUrl,
    token: session ? () => session.token() : undefined,
    fetch: signal ? (input, init) => send(input, { ...init, signal }) : send,
  });
}

/** Asks once more when the token was refused, with a newer one; never when the body is a stream that has been read. */
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

// The control plane as the tool sees it: the typed client with a token that renews itself.
import type { sourceEditor } from '#contract/agents/source-editor.ts';
import { clientByTable, createClient, type Client } from '#contract/client.ts';
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

type SourceRoutes = { sourceEditor: Pick<typeof sourceEditor, 'createToken'> };

/** A source token for the signed-in person's git. */
export async function sourceToken(baseUrl: string, session: Session, i: { name: string; mode: 'read' | 'write' }) {
  const table = { sourceEditor: { createToken: { at: 'POST /source/v1/agents/{name}/tokens', body: 'json', out: 'json' } } } as const;
  const client = clientByTable<SourceRoutes>(table, { baseUrl, token: () => session.token(), fetch: renewing(session) });
  return client.sourceEditor.createToken({ params: { name: i.name }, body: { mode: i.mode } });
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

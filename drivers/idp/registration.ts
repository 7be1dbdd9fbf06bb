// POST /reg: a program that knows only the issuer registers itself as a client (RFC 7591). It gets an id and
// no secret; what it may ask for, and that the person is asked, is as with any other client.
import jsonBody from 'co-body';
import { errors, type ClientMetadata, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { z } from 'zod';
import { isLoopback } from './client-documents.ts';
import type { GuessLimits } from './guess-limits.ts';
import type { RegisteredClients } from './registered-clients.ts';

export const REGISTRATION_PATH = '/reg';
const MAX_BODY = '16kb';
const MAX_NAME = 60;

/** What else a program says of itself is not read: addresses in it would be shown or fetched. */
const Registration = z.looseObject({
  redirect_uris: z.array(z.string().max(2_048)).min(1).max(10),
  client_name: z.string().max(1_000).optional(),
  response_types: z.array(z.string()).optional(),
});

type Refusal = { status: 400 | 429; error: string; error_description: string; wait?: number };

interface RegistrationDeps {
  provider: Provider;
  clients: RegisteredClients;
  limits: GuessLimits;
}

/** Middleware. Pages of any origin may register: nothing of a person's is in it. */
export function registration(deps: RegistrationDeps) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (ctx.path !== REGISTRATION_PATH) return next();
    ctx.set({ 'access-control-allow-origin': '*', 'cache-control': 'no-store' });
    if (ctx.method === 'OPTIONS') {
      ctx.set({ 'access-control-allow-methods': 'POST', 'access-control-allow-headers': 'content-type', 'access-control-max-age': '3600' });
      ctx.status = 204;
      return;
    }
    if (ctx.method !== 'POST') {
      ctx.set('allow', 'POST');
      ctx.status = 405;
      return;
    }
    const made = await register(deps, ctx);
    ctx.type = 'json';
    if ('client' in made) {
      ctx.status = 201;
      ctx.body = { ...made.client, client_id_issued_at: Math.floor(Date.now() / 1000) };
      return;
    }
    const { status, wait, ...body } = made;
    ctx.status = status;
    if (wait !== undefined) ctx.set('retry-after', String(wait));
    ctx.body = body;
  };
}

async function register({ provider, clients, limits }: RegistrationDeps, ctx: KoaContextWithOIDC): Promise<{ client: ClientMetadata } | Refusal> {
  const wait = await limits.begin(ctx.ip, 'register');
  if (wait !== undefined) return { status: 429, error: 'slow_down', error_description: 'too many clients were registered from this address', wait };
  const body: unknown = ctx.is('json') ? await jsonBody.json(ctx.req, { limit: MAX_BODY }).catch(() => undefined) : undefined;
  const request = Registration.safeParse(body);
  if (!request.success) return refused('invalid_client_metadata', `send a JSON object with 1 to 10 redirect_uris, at most ${MAX_BODY}`);
  const { redirect_uris, client_name, response_types } = request.data;
  if (response_types && !response_types.includes('code')) return refused('invalid_client_metadata', 'the response type is "code"');
  const bad = redirect_uris.find((uri) => !mayReturnTo(uri));
  if (bad !== undefined) return refused('invalid_redirect_uri', `${bad.slice(0, 200)} is neither https, nor this machine, nor a scheme of the program's own`);
  const name = Array.from((client_name ?? '').replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim())
    .slice(0, MAX_NAME)
    .join('');
  const client = await clients.add({
    ...(name !== '' && { client_name: name }),
    redirect_uris,
    application_type: redirect_uris.every((uri) => uri.startsWith('https:')) ? 'web' : 'native',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  });
  try {
    // The provider's own rules, as they will be applied at the sign-in.
    await provider.Client.find(client.client_id);
    return { client };
  } catch (error) {
    await clients.remove(client.client_id);
    if (!(error instanceof errors.InvalidClientMetadata)) throw error;
    return refused('invalid_client_metadata', error.error_description ?? 'it is not allowed here');
  }
}

function mayReturnTo(uri: string): boolean {
  const url = URL.parse(uri);
  if (!url || /[#\s\p{C}]/u.test(uri) || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'http:') return isLoopback(uri);
  return url.protocol === 'https:' || !BROWSERS_OWN.has(url.protocol);
}

/** Not of a program: a browser, or the system behind it, does something of its own with them. */
const BROWSERS_OWN = new Set(
  ['javascript', 'vbscript', 'data', 'blob', 'file', 'filesystem', 'about', 'view-source', 'ftp', 'ws', 'wss', 'mailto', 'tel', 'sms', 'urn'].map(
    (name) => `${name}:`,
  ),
);

function refused(error: string, error_description: string): Refusal {
  return { status: 400, error, error_description };
}

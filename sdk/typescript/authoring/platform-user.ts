// The platform's own people as callers: by the platform's word with the request, else by the session cookie
// of this agent's origin.
import type { IncomingHttpHeaders } from 'node:http';
import type { AuthRequest, AuthResolver, Principal } from './auth.ts';
import { principalOf } from './caller.ts';
import { AuthError } from './errors.ts';
import { PrincipalCache } from './principal-cache.ts';

export interface PlatformUserOptions {
  /** Without SVC_CP_URL, callers of this machine count as the developer; default true */
  allowLocalDev?: boolean;
  /**
   * Believes x-svc-user-id, x-svc-user-number, x-svc-user-email, x-svc-user-sub, x-svc-org-id, x-svc-org-slug
   * and x-svc-user-scopes: only behind a proxy that sets them itself and strips them from outside. On the
   * platform it is not needed. Default: not.
   */
  trustHeaders?: boolean | null;
  /** default svc_session */
  cookieName?: string;
  /** default: SVC_CP_URL */
  controlPlaneUrl?: string | undefined;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;
/** As the control plane knows it, whatever it is called here. */
const SESSION_COOKIE = 'svc_session';

/** Made for `authModel = PlatformUserAuth`. */
export class PlatformUserAuthResolver implements AuthResolver {
  readonly #options: PlatformUserOptions;
  readonly #kept = new PrincipalCache();

  constructor(options: PlatformUserOptions = {}) {
    this.#options = options;
  }

  /** @throws AuthError 401, or 503 when the control plane does not answer */
  resolve({ headers, local, caller }: AuthRequest): Promise<Principal> | Principal {
    const { allowLocalDev = true, trustHeaders = null, cookieName = SESSION_COOKIE, controlPlaneUrl = process.env['SVC_CP_URL'] } = this.#options;
    if (caller) return principalOf(caller);
    const named = trustHeaders === true ? fromHeaders(headers) : undefined;
    if (named) return named;
    const session = cookieOf(headers.cookie, cookieName);
    if (session !== undefined && controlPlaneUrl) return this.#kept.of(session, () => ask(session, controlPlaneUrl));
    if (!controlPlaneUrl && allowLocalDev && local) return { sub: 'local-dev', userId: null, email: null, orgId: null, orgSlug: null, scopes: [] };
    throw new AuthError('sign in at the platform to use this agent');
  }
}

async function ask(session: string, controlPlane: string): Promise<Principal> {
  let status: number;
  let body: string;
  try {
    const response = await fetch(`${controlPlane.replace(/\/+$/, '')}/v1/me`, {
      headers: { cookie: `${SESSION_COOKIE}=${session}`, accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    status = response.status;
    body = await bounded(response);
  } catch (error) {
    throw new AuthError('the platform does not answer; try again', { status: 503, cause: error });
  }
  if (status >= 500 || status === 429) throw new AuthError('the platform does not answer; try again', { status: 503 });
  if (status !== 200) throw new AuthError('sign in at the platform to use this agent');
  const me = parse(body);
  const sub = text(me['sub']) ?? text(me['user_id']);
  if (sub === null) throw new AuthError('the platform does not say who this is', { status: 503 });
  return {
    sub,
    userId: [me['account_number'], me['user_id']].find((id): id is number => Number.isSafeInteger(id)) ?? null,
    email: text(me['email']),
    orgId: text(me['org_id']),
    orgSlug: text(me['org_slug']),
    scopes: Array.isArray(me['scopes']) ? me['scopes'].filter((scope) => typeof scope === 'string') : [],
  };
}

function fromHeaders(headers: IncomingHttpHeaders): Principal | undefined {
  const one = (name: string): string | null => text(headers[name]);
  const sub = one('x-svc-user-sub') ?? one('x-svc-user-id');
  if (sub === null) return undefined;
  const id = Number(one('x-svc-user-number') ?? one('x-svc-user-id') ?? Number.NaN);
  return {
    sub,
    userId: Number.isSafeInteger(id) ? id : null,
    email: one('x-svc-user-email'),
    orgId: one('x-svc-org-id'),
    orgSlug: one('x-svc-org-slug'),
    scopes: (one('x-svc-user-scopes') ?? '').split(/[\s,]+/).filter((scope) => scope !== ''),
  };
}

/** Undefined for what no session token looks like: it goes into a header of ours. */
function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, ...value] = pair.trim().split('=');
    if (key === name) return /^[\w.~+/=-]{1,4096}$/.test(value.join('=')) ? value.join('=') : undefined;
  }
  return undefined;
}

async function bounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let body = '';
  for await (const chunk of response.body ?? []) {
    body += decoder.decode(chunk, { stream: true });
    if (body.length > MAX_BYTES) throw new Error('too long an answer');
  }
  return body + decoder.decode();
}

function parse(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

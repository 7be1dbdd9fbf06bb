// Auth resolvers that ask another service who the caller is: an OIDC userinfo endpoint, a token
// introspection, an API of one's own.
import type { z } from 'zod';
import type { AuthRequest, AuthResolver, Principal } from './auth.ts';
import { AuthError } from './errors.ts';
import { PrincipalCache } from './principal-cache.ts';
import { safeFetch, type SafeResponse } from './safe-fetch.ts';

export interface RemoteAuthOptions {
  url: string;
  /** What the answer must fit; the agent's `authModel` is applied afterwards in any case. */
  authModel?: z.ZodObject;
  /** default GET. POST sends the token as a form field too, as introspection (RFC 7662) wants it. */
  method?: 'GET' | 'POST';
  /** default 5 */
  timeoutSeconds?: number;
  /** Where the caller's token is, and how it is passed on; default authorization */
  tokenHeader?: string;
  /** default bearer; empty: the bare token */
  tokenPrefix?: string;
  /** false in this field of the answer means: not signed in; default active */
  activeField?: string;
  /** Fields may be paths: `user.id`. default sub */
  subjectField?: string;
  /** default email */
  emailField?: string;
  /** default org_id */
  orgField?: string;
  /** A list, or a text with spaces between; default scope */
  scopesField?: string;
  /** More of the principal: its field → the answer's. */
  extraFields?: Readonly<Record<string, string>> | null;
  /** `host` or `host:port` that may be private and without TLS: for local development. */
  allowHosts?: readonly string[];
}

/**
 * `sub`, `email`, `orgId`, `scopes` of the caller, as the service answers for the token. The principal's id
 * is `sub`, else the email.
 */
export class RemoteBearerAuthResolver implements AuthResolver {
  readonly #options: RemoteAuthOptions;
  readonly #kept = new PrincipalCache();

  constructor(options: RemoteAuthOptions) {
    if (!URL.canParse(options.url)) throw new TypeError(`"${options.url}" is not a URL`);
    this.#options = options;
  }

  /** @throws AuthError 401, or 503 when the service does not answer */
  resolve(request: AuthRequest): Promise<Principal> {
    const token = this.#tokenOf(request);
    if (token === undefined) throw new AuthError('send your token as "authorization: Bearer <token>"');
    return this.#kept.of(token, () => this.#ask(token));
  }

  #tokenOf({ headers, bearer }: AuthRequest): string | undefined {
    const { tokenHeader = 'authorization', tokenPrefix = 'bearer' } = this.#options;
    if (tokenHeader.toLowerCase() === 'authorization') return bearer;
    const value = headers[tokenHeader.toLowerCase()];
    if (typeof value !== 'string') return undefined;
    const prefixed = tokenPrefix !== '' && value.slice(0, tokenPrefix.length + 1).toLowerCase() === `${tokenPrefix.toLowerCase()} `;
    return (prefixed ? value.slice(tokenPrefix.length + 1) : value).trim() || undefined;
  }

  async #ask(token: string): Promise<Principal> {
    const { url, method = 'GET', timeoutSeconds = 5, tokenHeader = 'authorization', tokenPrefix = 'bearer', allowHosts = [] } = this.#options;
    const scheme = tokenPrefix.toLowerCase() === 'bearer' ? 'Bearer' : tokenPrefix;
    let response: SafeResponse;
    try {
      response = await safeFetch(url, {
        method,
        timeoutSeconds,
        allowHosts,
        headers: {
          [tokenHeader]: scheme === '' ? token : `${scheme} ${token}`,
          ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(method === 'POST' && { body: new URLSearchParams({ token }).toString() }),
      });
    } catch (error) {
      throw new AuthError('the service that knows the callers does not answer', { status: 503, cause: error });
    }
    if (response.status >= 500 || response.status === 429) throw new AuthError('the service that knows the callers does not answer', { status: 503 });
    if (response.status < 200 || response.status >= 300) throw new AuthError('the token is not accepted');
    return this.#principal(asObject(response.text));
  }

  #principal(answer: Record<string, unknown>): Principal {
    const { activeField = 'active', subjectField = 'sub', emailField = 'email', orgField = 'org_id', scopesField = 'scope' } = this.#options;
    if (at(answer, activeField) === false) throw new AuthError('the token is not accepted');
    const email = text(at(answer, emailField));
    const sub = text(at(answer, subjectField)) ?? email;
    if (sub === null) throw new AuthError('the token does not say who its bearer is');
    const extra = Object.entries(this.#options.extraFields ?? {}).map(([field, from]) => [field, at(answer, from)] as const);
    const principal = { sub, email, orgId: text(at(answer, orgField)), scopes: scopesIn(at(answer, scopesField)), ...Object.fromEntries(extra) };
    const parsed = this.#options.authModel?.safeParse(principal);
    if (parsed && !parsed.success) throw new AuthError('the token does not say what this agent needs to know of its caller');
    return parsed?.data ?? principal;
  }
}

/** The same, for `https://…/userinfo` of an OIDC provider. */
export class OIDCUserInfoAuthResolver extends RemoteBearerAuthResolver {}

function asObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Falls through: what is no JSON says nothing either.
  }
  throw new AuthError('the service that knows the callers gave no usable answer', { status: 503 });
}

function at(answer: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(answer, path)) return answer[path];
  let value: unknown = answer;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}

function text(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

function scopesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((scope) => typeof scope === 'string');
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((scope) => scope !== '') : [];
}

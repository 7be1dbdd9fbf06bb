// Who calls: the principals a skill can see, and how a request becomes one.
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { type Caller, callerOf } from './caller.ts';
import { MissingScopes } from './errors.ts';

const scopes = z.array(z.string()).default([]);

/** A public agent: nothing is known of the caller. */
export const NoAuth = z.object({}).meta({ id: 'NoAuth' });
export const APIKeyAuth = z.object({ apiKeyId: z.string(), scopes }).meta({ id: 'APIKeyAuth' });
export const JWTAuth = z
  .object({ sub: z.string(), orgId: z.string().nullable().default(null), email: z.string().nullable().default(null), scopes })
  .meta({ id: 'JWTAuth' });
export const PlatformUserAuth = z
  .object({
    sub: z.string(),
    userId: z.int().nullable().default(null),
    email: z.string().nullable().default(null),
    orgId: z.string().nullable().default(null),
    orgSlug: z.string().nullable().default(null),
    scopes,
  })
  .meta({ id: 'PlatformUserAuth' });

/** What a resolver found out; shaped into the agent's `authModel` afterwards. */
export type Principal = Readonly<Record<string, unknown>>;

export interface AuthRequest {
  headers: IncomingHttpHeaders;
  /** The bearer token, without the word; undefined when there is none. */
  bearer: string | undefined;
  /** The connection comes from this machine, and no platform is between. */
  local: boolean;
  /**
   * Who calls, by the platform's word, whatever they sent; undefined: nobody is known, or no platform is
   * between.
   */
  caller?: Caller | undefined;
}

export interface AuthResolver {
  /** @throws AuthError when the caller is not let in */
  resolve(request: AuthRequest): Promise<Principal> | Principal;
}

/** @throws MissingScopes */
export function requireScopes(principal: Principal, required: readonly string[]): void {
  const grantedScopes = scopesOf(principal);
  const missing = required.filter((scope) => !grantedScopes.includes(scope));
  if (missing.length > 0) throw new MissingScopes(missing);
}

/** Of the resolver, and of the platform. Models without `scopes` count as having none of the resolver's. */
function scopesOf(principal: Principal): readonly string[] {
  const value = principal['scopes'];
  const own = Array.isArray(value) ? value.filter((scope) => typeof scope === 'string') : [];
  return [...own, ...(callerOf(principal)?.scopes ?? [])];
}

// Auth resolvers that need no network: none, one configured key, one fixed principal.
import { timingSafeEqual } from 'node:crypto';
import type { AuthRequest, AuthResolver, Principal } from './auth.ts';
import { AuthError } from './errors.ts';

export class NoAuthResolver implements AuthResolver {
  resolve(): Principal {
    return {};
  }
}

export interface APIKeyOptions {
  /** The bearer value that is accepted; null, the default, accepts none. */
  acceptedKey?: string | null;
  /** default "configured" */
  apiKeyId?: string;
  scopes?: readonly string[];
}

export class APIKeyAuthResolver implements AuthResolver {
  readonly #key: Buffer | undefined;
  readonly #principal: Principal;
  constructor({ acceptedKey = null, apiKeyId = 'configured', scopes = [] }: APIKeyOptions = {}) {
    this.#key = acceptedKey ? Buffer.from(acceptedKey) : undefined;
    // A short prefix: enough to tell keys apart in a log, too little to be one.
    this.#principal = { apiKeyId: apiKeyId.slice(0, 12), scopes: [...scopes] };
  }

  resolve({ bearer }: AuthRequest): Principal {
    if (!bearer) throw new AuthError('send the API key as "authorization: Bearer <key>"');
    if (!this.#key || !sameBytes(Buffer.from(bearer), this.#key)) throw new AuthError('the API key is not accepted');
    return this.#principal;
  }
}

/** Always the same principal; for tests. */
export class StaticAuthResolver implements AuthResolver {
  readonly #principal: Principal;
  constructor(principal: Principal) {
    this.#principal = principal;
  }
  resolve(): Principal {
    return this.#principal;
  }
}

/** In constant time for one length; the length of a key is no secret. */
function sameBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

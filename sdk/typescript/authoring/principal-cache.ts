// Who a token or session is of, for a short while: what was just asked about is not asked about again.
import { createHash } from 'node:crypto';
import type { Principal } from './auth.ts';

const CACHE_MS = 30_000;
const MAX_PRINCIPALS = 1000;

export class PrincipalCache {
  readonly #kept = new Map<string, { until: number; principal: Promise<Principal> }>();

  /** A failure is not kept. */
  of(secret: string, ask: () => Promise<Principal>): Promise<Principal> {
    // As hashes only: a dump of the memory should not be a list of secrets.
    const key = createHash('sha256').update(secret).digest('base64');
    const known = this.#kept.get(key);
    if (known && known.until > Date.now()) return known.principal;
    const principal = ask();
    this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_PRINCIPALS && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, { until: Date.now() + CACHE_MS, principal });
    principal.catch(() => this.#kept.delete(key));
    return principal;
  }
}

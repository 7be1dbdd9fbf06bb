// Tokens checked a moment ago, by their hash. Bounded; each entry ends with its token or after `ttlMs`,
// whatever comes first. The first is a moment, of the clock that is given; the second a span, which goes on
// where that clock is set.
import type { UserActor } from '../kernel/ctx.ts';

const MAX_ENTRIES = 10_000;

export class ActorCache {
  readonly #entries = new Map<string, { actor: UserActor; expiresAt: number; until: number }>();
  readonly #ttlMs: number;

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  get(key: string, now: number): UserActor | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.expiresAt > now && entry.until > performance.now()) return entry.actor;
    this.#entries.delete(key);
    return undefined;
  }

  put(key: string, actor: UserActor, expiresAt: number): void {
    // A map keeps the order of insertion: the first is the oldest.
    const oldest = this.#entries.size >= MAX_ENTRIES ? this.#entries.keys().next().value : undefined;
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { actor, expiresAt, until: performance.now() + this.#ttlMs });
  }
}

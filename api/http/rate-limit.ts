// What one caller may ask of a route in a minute.
import type { Knex } from 'knex';
import type { Limiter } from '#contract/kit.ts';
import { TooManyRequests } from '#core/kernel/errors.ts';
import { windowLimit } from '#drivers/rate-limits/window.ts';

export interface Budget {
  /** Requests allowed in each window. */
  points: number;
  /** Length of the window in seconds. */
  seconds: number;
}

export const BUDGETS: Record<Limiter, Budget> = {
  auth: { points: 60, seconds: 60 },
  check: { points: 60, seconds: 60 },
  code: { points: 20, seconds: 60 },
  create: { points: 30, seconds: 60 },
  deploy: { points: 20, seconds: 60 },
};

export interface RateLimits {
  /** Takes one point of `key`'s budget or throws TooManyRequests with `retry_after_seconds`. */
  take(limiter: Limiter, key: string): Promise<void>;
}

export function createRateLimits(db: Knex, budgets: Record<Limiter, Budget> = BUDGETS): RateLimits {
  const limits = new Map(
    Object.entries(budgets).map(([name, { points, seconds }]) => [name, windowLimit(db, { name, points, seconds, refuseInMemory: true })]),
  );
  return {
    async take(limiter, key) {
      const waitMs = await limits.get(limiter)?.take(key);
      if (waitMs === undefined) return;
      const wait = Math.max(1, Math.ceil(waitMs / 1000));
      throw new TooManyRequests('rate_limited', `too many requests; try again in ${wait} s`, { retry_after_seconds: wait });
    },
  };
}

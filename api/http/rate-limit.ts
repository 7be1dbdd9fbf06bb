// Limits live in PostgreSQL so that every API process counts together; in memory while PostgreSQL does not answer.
import type { Knex } from 'knex';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Limiter } from '#contract/kit.ts';
import { TooManyRequests } from '#core/kernel/errors.ts';

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
  const limiters = new Map(Object.entries(budgets).map(([name, { points, seconds }]) => [name, limiterOf(db, name, points, seconds)]));
  return {
    async take(limiter, key) {
      try {
        await limiters.get(limiter)?.consume(key);
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        const wait = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
        throw new TooManyRequests('rate_limited', `too many requests; try again in ${wait} s`, { retry_after_seconds: wait });
      }
    },
  };
}

function limiterOf(db: Knex, name: string, points: number, seconds: number): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: db,
    storeType: 'knex',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: name,
    points,
    duration: seconds,
    // A caller who is over the limit is refused without asking the database again.
    inMemoryBlockOnConsumed: points + 1,
    insuranceLimiter: new RateLimiterMemory({ keyPrefix: name, points, duration: seconds }),
  });
}

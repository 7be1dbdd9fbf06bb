// Counts in windows of time, in PostgreSQL, so that all processes count together; in memory while PostgreSQL
// does not answer.
import type { Knex } from 'knex';
// Chosen for counting in one statement, with the same limit in memory behind it.
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

interface WindowOptions {
  /** Keeps counts of different limits apart. */
  name: string;
  points: number;
  seconds: number;
  /** Who is over the limit is refused without asking the database again. */
  refuseInMemory?: boolean;
}

interface WindowLimit {
  /** Counts one; milliseconds until the next is allowed where this one is not. */
  take(key: string): Promise<number | undefined>;
  /** Takes one back. */
  giveBack(key: string): Promise<void>;
  forget(key: string): Promise<void>;
}

export function windowLimit(db: Knex, { name, points, seconds, refuseInMemory = false }: WindowOptions): WindowLimit {
  const limiter = new RateLimiterPostgres({
    storeClient: db,
    storeType: 'knex',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: refuseInMemory,
    keyPrefix: name,
    points,
    duration: seconds,
    ...(refuseInMemory && { inMemoryBlockOnConsumed: points + 1 }),
    insuranceLimiter: new RateLimiterMemory({ keyPrefix: name, points, duration: seconds }),
  });
  const consume = async (key: string): Promise<number | undefined> => {
    try {
      await limiter.consume(key);
      return undefined;
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return refused.msBeforeNext;
      throw refused;
    }
  };
  return {
    async take(key) {
      const wait = await consume(key);
      if (wait === undefined || wait <= seconds * 1000) return wait;
      // It began before the machine's clock was set back, and would end an hour late perhaps.
      await limiter.delete(key);
      return consume(key);
    },
    async giveBack(key) {
      await limiter.reward(key);
    },
    async forget(key) {
      await limiter.delete(key);
    },
  };
}

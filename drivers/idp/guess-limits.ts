// Limits of guesses: counted in PostgreSQL, so that all processes count together.
import type { Knex } from 'knex';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';

export interface GuessLimits {
  /** Seconds to wait when too many failed before, else undefined. Counts this try. */
  begin(ip: string, account: string): Promise<number | undefined>;
  /** The guess was right: it does not count against the account. */
  succeeded(ip: string, account: string): Promise<void>;
}

const WINDOW_SECONDS = 15 * 60;

/** `prefix` keeps the counts of different doors apart. */
export function guessLimits(db: Knex, prefix: string, points = { account: 10, address: 60 }): GuessLimits {
  const limiter = (name: string, count: number): RateLimiterAbstract =>
    new RateLimiterPostgres({
      storeClient: db,
      storeType: 'knex',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: `${prefix}_${name}`,
      points: count,
      duration: WINDOW_SECONDS,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix: `${prefix}_${name}`, points: count, duration: WINDOW_SECONDS }),
    });
  const byAccount = limiter('account', points.account);
  const byAddress = limiter('address', points.address);
  const accountKey = (ip: string, account: string) => `${ip}|${account.trim().toLowerCase().slice(0, 200)}`;

  return {
    async begin(ip, account) {
      return (await tooMany(byAddress, ip)) ?? (await tooMany(byAccount, accountKey(ip, account)));
    },
    async succeeded(ip, account) {
      await byAccount.delete(accountKey(ip, account));
      await byAddress.reward(ip);
    },
  };
}

async function tooMany(limiter: RateLimiterAbstract, key: string): Promise<number | undefined> {
  try {
    await limiter.consume(key);
    return undefined;
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return Math.ceil(refused.msBeforeNext / 1000);
    throw refused;
  }
}

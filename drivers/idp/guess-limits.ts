// Limits of guesses.
import type { Knex } from 'knex';
import { windowLimit } from '../rate-limits/window.ts';

export interface GuessLimits {
  /** Seconds to wait when too many failed before, else undefined. Counts this try. */
  begin(ip: string, account: string): Promise<number | undefined>;
  /** The guess was right: it does not count against the account. */
  succeeded(ip: string, account: string): Promise<void>;
}

const WINDOW_SECONDS = 15 * 60;

/** `prefix` keeps the counts of different doors apart. */
export function guessLimits(db: Knex, prefix: string, points = { account: 10, address: 60 }): GuessLimits {
  const byAccount = windowLimit(db, { name: `${prefix}_account`, points: points.account, seconds: WINDOW_SECONDS });
  const byAddress = windowLimit(db, { name: `${prefix}_address`, points: points.address, seconds: WINDOW_SECONDS });
  const accountKey = (ip: string, account: string) => `${ip}|${account.trim().toLowerCase().slice(0, 200)}`;

  return {
    async begin(ip, account) {
      const waitMs = (await byAddress.take(ip)) ?? (await byAccount.take(accountKey(ip, account)));
      return waitMs === undefined ? undefined : Math.ceil(waitMs / 1000);
    },
    async succeeded(ip, account) {
      await byAccount.forget(accountKey(ip, account));
      await byAddress.giveBack(ip);
    },
  };
}

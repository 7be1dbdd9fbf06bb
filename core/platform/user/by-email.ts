// Accounts that have a part of an email address in common, the newest first, however many have it.
import type { Knex } from 'knex';

/**
 * How many of the newest accounts are looked at one by one, in turns: what many addresses have in common is
 * found there. After each turn the index is asked. Its finds have no order: they are put in order when they
 * are all, up to `perLookedAt` times as many.
 */
const lookedAt = [1_000, 20_000, 2_147_483_647];
const perLookedAt = 5;
const mostLikely = 10_000;

/** How many letters of the end of an address the index users_email_ends has. */
const endLength = 16;

interface Wanted {
  /** Lower case. */
  email: string;
  /** Which accounts, in SQL. */
  where: string;
  bindings: Record<string, string>;
  limit: number;
}

/** At most `limit` ids. */
export async function idsByEmail(db: Knex, { email, where, bindings, limit }: Wanted): Promise<string[]> {
  const ask = async <T>(sql: string, most: number): Promise<T[]> =>
    (await db.raw<{ rows: T[] }>(`${sql} order by user_id desc limit :limit`, { ...bindings, email, limit, most, beginning: beginning(email) })).rows;
  const part = 'strpos(lower(email), :email) > 0';
  const among = (most: number): Promise<{ user_id: string }[]> =>
    ask(`select user_id from (select user_id, email from users where ${where} order by user_id desc limit :most) n where ${part}`, most);
  for (const most of lookedAt) {
    const newest = await among(most);
    if (newest.length === limit || most === lookedAt.at(-1)) return newest.map(({ user_id }) => user_id);
    // Some have it: as many among twice the accounts in which the rest is to be expected, which is less to
    // read than all finds of the index.
    const likely = newest.length === 0 ? 0 : Math.ceil((2 * most * limit) / newest.length);
    if (likely > 0 && likely <= mostLikely) {
      const enough = await among(likely);
      if (enough.length === limit) return enough.map(({ user_id }) => user_id);
    }
    const matches = await ask<{ user_id: string; count: number }>(
      `with found as materialized (
         select user_id from users where ${where} and email_ends(lower(email)) @@ :beginning::tsquery and ${part} limit :most
       ) select user_id, (select count(*)::int from found) as count from found`,
      most * perLookedAt,
    );
    if ((matches[0]?.count ?? 0) < most * perLookedAt) return matches.map(({ user_id }) => user_id);
  }
  return [];
}

/** A tsquery: the first letters of the part, whatever follows. */
function beginning(part: string): string {
  const letters = Array.from(part).slice(0, endLength).join('');
  return `'${letters.replaceAll('\\', '\\\\').replaceAll("'", "''")}':*`;
}

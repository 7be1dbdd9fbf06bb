// What of Ada's must not be shown to others, or changed by them, in walks over all operations with her ids.
import type { Knex } from 'knex';
import { hashSecret, newSecret } from '#core/kernel/secret.ts';
import type { ValidCall } from '../api/records/area.ts';
import type { World } from '../api/world.ts';

/**
 * Inputs are hers, her secrets are not: one-time codes, which prove who sends them, are replaced by codes of
 * nobody.
 */
export async function withoutCodes(world: World): Promise<void> {
  const hashes = new Set((await world.ctx.db('one_time_codes').select('code_hash')).map((row) => row.code_hash));
  for (const [id, call] of Object.entries(world.calls)) {
    if (call.body instanceof FormData) continue;
    const text = JSON.stringify(call).replaceAll(/[\w-]{43}/g, (word) => (hashes.has(hashSecret(word)) ? newSecret() : word));
    world.calls[id] = JSON.parse(text) as ValidCall;
  }
}

/**
 * Ids and names of her records. A flag belongs to the installation: every account may read which it has.
 * Bounties are for everybody.
 */
export function marksOf({ records }: World): string[] {
  const ids = Object.entries(records).flatMap(([of, record]) =>
    /[0-9a-f]{8}/.test(record) && of !== 'flag_key' && !/^slug$|^bounties\./.test(of) ? [record] : [],
  );
  return [...new Set(ids)];
}

/** Rows in which one of these words stands, but for counters of requests and the last use of tokens. */
export const rowsNaming = (db: Knex, words: readonly [string, string]): Promise<Map<string, number>> =>
  rowsWhere(db, 'where strpos(x::text, ?) > 0 or strpos(x::text, ?) > 0', words);

export const allRows = (db: Knex): Promise<Map<string, number>> => rowsWhere(db, '', []);

async function rowsWhere(db: Knex, where: string, words: readonly string[]): Promise<Map<string, number>> {
  const { rows: tables } = await db.raw<{ rows: { t: string }[] }>(
    "select tablename as t from pg_tables where schemaname = 'public' and tablename not in ('rate_limits', 'platform_tokens', 'api_processes')",
  );
  const found = new Map<string, number>();
  for (const { t } of tables) {
    const { rows } = await db.raw<{ rows: { row: string }[] }>(`select x::text as row from ?? x ${where}`, [t, ...words]);
    for (const { row } of rows) found.set(`${t} ${row}`, (found.get(`${t} ${row}`) ?? 0) + 1);
  }
  return found;
}

/** Events may never end; who may not read them gets none. */
export async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  await response.body?.cancel();
  return 'an event stream';
}

/** Marks in an answer. A sender may be shown what they sent. */
export function shownIn({ calls, headers }: World, marks: readonly string[], answer: string, id: string): string[] {
  const shown = marks.filter((mark) => answer.includes(mark));
  if (shown.length === 0) return shown;
  const sent = JSON.stringify([calls[id], headers]);
  return shown.filter((mark) => !sent.includes(mark));
}

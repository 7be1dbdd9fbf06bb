// Accounts of the ledger. A user has one of a kind; the platform's own are several rows each, so that not
// every charge waits for the same one.
import type { Knex } from 'knex';
import type { LedgerAccountKind } from '#contract/states.ts';
import { fnv1a } from '#contract/wire/random.ts';
import { newId } from '../../kernel/ids.ts';
import { processKey } from '../../kernel/settings.ts';

/** Rows of each of the platform's own accounts. */
export const SHARDS = 16;
/**
 * Those whose balance says what came from outside, was given, or was lost: the other side of everybody's
 * credits.
 */
const OVERDRAWN: readonly LedgerAccountKind[] = ['funding', 'promotion', 'losses'];

/** Id of a user's account of this kind; opened by the first use. */
export async function accountOf(db: Knex, kind: LedgerAccountKind, ownerId: string): Promise<string> {
  return ensureAccount(db, kind, ownerId, 0);
}

/** Id of one row of the platform's account, always the same for a key. */
export async function platformAccount(db: Knex, kind: LedgerAccountKind, key: string): Promise<string> {
  return ensureAccount(db, kind, null, fnv1a(key) % SHARDS);
}

/** Ids never change: each process asks once. */
const known = new WeakMap<object, Map<string, string>>();

async function ensureAccount(db: Knex, kind: LedgerAccountKind, owner_id: string | null, shard: number): Promise<string> {
  const ids = idsOf(db);
  const key = `${kind} ${owner_id ?? ''} ${shard}`;
  const id = ids.get(key) ?? (await open(db, kind, owner_id, shard));
  // Of a transaction that may yet be rolled back nothing is kept.
  if (!db.isTransaction) remember(ids, key, id);
  return id;
}

async function open(db: Knex, kind: LedgerAccountKind, owner_id: string | null, shard: number): Promise<string> {
  const row = await db('ledger_accounts').where({ kind, owner_id, shard }).first('account_id');
  if (row) return row.account_id;
  const account_id = newId('acc');
  const made = { account_id, kind, owner_id, shard, may_overdraw: OVERDRAWN.includes(kind), created_at: new Date() };
  const [inserted] = await db('ledger_accounts').insert(made).onConflict(['kind', 'owner_id', 'shard']).ignore().returning('account_id');
  if (inserted) return inserted.account_id;
  const other = await db('ledger_accounts').where({ kind, owner_id, shard }).first('account_id');
  if (!other) throw new Error(`an account of the ledger was not opened: ${kind}`);
  return other.account_id;
}

function idsOf(db: Knex): Map<string, string> {
  const root = processKey(db);
  const ids = known.get(root) ?? new Map<string, string>();
  known.set(root, ids);
  return ids;
}

const MOST_KNOWN = 10_000;
function remember(ids: Map<string, string>, key: string, id: string): void {
  if (ids.size >= MOST_KNOWN) ids.clear();
  ids.set(key, id);
}

// Seals again what an older key sealed, in batches: can be stopped and begun again at any moment, beside a
// platform that is running.
import type { Knex } from 'knex';
import type { Vault } from '#drivers/vault/port.ts';
import { ENCRYPTED_COLUMNS, type EncryptedColumn, nameOfColumn, valueBindings, valueSql } from './encrypted-columns.ts';

export interface ReencryptionResult {
  place: string;
  /** Sealed by the newest key now. */
  sealed: number;
  /** Altered, or their key is gone: left as they are. */
  unreadable: number;
}

const batch = 100;

export async function reencryptAll(db: Knex, vault: Vault, onPlace: (done: ReencryptionResult) => void = () => undefined): Promise<ReencryptionResult[]> {
  const all: ReencryptionResult[] = [];
  for (const place of ENCRYPTED_COLUMNS) {
    const done = await reencryptColumn(db, vault, place);
    all.push(done);
    onPlace(done);
  }
  return all;
}

/** How many values an older key holds. */
export async function countStale(db: Knex, vault: Vault): Promise<number> {
  let stale = 0;
  for (const place of ENCRYPTED_COLUMNS) {
    const { rows } = await db.raw<{ rows: { count: number }[] }>(`select count(*) as count from ?? where ${older(place)}`, [
      place.table,
      ...olderBindings(place, vault),
    ]);
    stale += rows[0]?.count ?? 0;
  }
  return stale;
}

async function reencryptColumn(db: Knex, vault: Vault, place: EncryptedColumn): Promise<ReencryptionResult> {
  const done: ReencryptionResult = { place: nameOfColumn(place), sealed: 0, unreadable: 0 };
  const keys = place.key.map(() => '??').join(', ');
  let last: unknown[] | undefined;
  for (;;) {
    const after = last ? `and (${keys}) > (${place.key.map(() => '?').join(', ')})` : '';
    const wanted = [...place.key, ...(place.also ?? [])];
    const { rows } = await db.raw<{ rows: Record<string, unknown>[] }>(
      `select ${wanted.map(() => '??').join(', ')}, ${valueSql(place)} as sealed from ?? where ${older(place)} ${after} order by ${keys} limit ${batch}`,
      [
        ...wanted, ...valueBindings(place), place.table, ...olderBindings(place, vault),
        ...(last ? [...place.key, ...last.map(String)] : []), ...place.key,
      ], // prettier-ignore
    );
    for (const row of rows) {
      const outcome = await reencryptRow(db, vault, place, row);
      if (outcome === 'unreadable') done.unreadable += 1;
      else done.sealed += outcome;
    }
    const end = rows.at(-1);
    if (!end || rows.length < batch) return done;
    last = place.key.map((column) => end[column]);
  }
}

/** Only where the value is still the one that was read: who wrote meanwhile is right. */
async function reencryptRow(db: Knex, vault: Vault, place: EncryptedColumn, row: Readonly<Record<string, unknown>>): Promise<number | 'unreadable'> {
  const old = String(row['sealed']);
  const context = place.context(row);
  const plain = await vault.open(old, context).catch(() => undefined);
  if (!plain) return 'unreadable';
  const fresh = await vault.seal(plain, context);
  const assign = place.member === undefined ? '?? = ?' : `?? = jsonb_set(??, array[?], to_jsonb(?::text))`;
  const assignBindings = place.member === undefined ? [place.column, fresh] : [place.column, place.column, place.member, fresh];
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update ?? set ${assign} where ${place.key.map(() => '?? = ?').join(' and ')} and ${valueSql(place)} = ?`,
    [place.table, ...assignBindings, ...place.key.flatMap((column) => [column, String(row[column])]), ...valueBindings(place), old],
  );
  return rowCount;
}

/** Null is no value. */
function older(place: EncryptedColumn): string {
  return `not starts_with(${valueSql(place)}, ?)`;
}

function olderBindings(place: EncryptedColumn, vault: Vault): string[] {
  return [...valueBindings(place), vault.currentPrefix()];
}

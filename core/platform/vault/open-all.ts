// Opens every sealed value and keeps none: whether the key file still fits the database.
import type { Knex } from 'knex';
import type { Vault } from '#drivers/vault/port.ts';
import { ENCRYPTED_COLUMNS, nameOfColumn, valueBindings, valueSql } from './encrypted-columns.ts';

const BATCH = 500;

export interface OpenedColumn {
  place: string;
  count: number;
  unreadable: number;
}

export async function* openAll(db: Knex, vault: Vault): AsyncGenerator<OpenedColumn> {
  for (const place of ENCRYPTED_COLUMNS) {
    const columns = [...place.key, ...(place.also ?? [])];
    const opened: OpenedColumn = { place: nameOfColumn(place), count: 0, unreadable: 0 };
    for (let offset = 0; ; offset += BATCH) {
      const { rows } = await db.raw<{ rows: Record<string, unknown>[] }>(
        `select ${columns.map(() => '??').join(', ')}, ${valueSql(place)} as sealed from ?? order by ${place.key.map(() => '??').join(', ')} limit ${BATCH} offset ${offset}`,
        [...columns, ...valueBindings(place), place.table, ...place.key],
      );
      for (const row of rows) {
        if (typeof row['sealed'] !== 'string') continue;
        opened.count += 1;
        if ((await vault.open(row['sealed'], place.context(row)).catch(() => undefined)) === undefined) opened.unreadable += 1;
      }
      if (rows.length < BATCH) break;
    }
    yield opened;
  }
}

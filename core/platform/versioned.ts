// Rows that operators write whole: each write names the version that it has read, so that of two at once the
// second is refused instead of lost.
import type { Knex } from 'knex';
import type { BillingOverridesRow, ControlPoliciesRow, PlansRow, PlatformSettingsRow } from '#db/tables.ts';
import { Conflict } from '../kernel/errors.ts';
import { lockName } from '../kernel/lock-name.ts';

interface Versioned {
  platform_settings: { row: PlatformSettingsRow; key: 'key' };
  billing_overrides: { row: BillingOverridesRow; key: 'user_id' };
  control_policies: { row: ControlPoliciesRow; key: 'user_id' };
  plans: { row: PlansRow; key: 'plan' };
}

export interface VersionedWrite<T extends keyof Versioned> {
  table: T;
  /** The name of the column, and its value. */
  key: readonly [Versioned[T]['key'], string];
  /** That was read; 0: there was no row. */
  version: number;
  values: Record<string, unknown>;
}

/** In the caller's transaction. @throws Conflict version_conflict (the present version in its details) */
export async function writeVersion<T extends keyof Versioned>(
  tx: Knex.Transaction,
  { table, key: [column, value], version, values }: VersionedWrite<T>,
): Promise<{ before: Versioned[T]['row'] | undefined; after: Versioned[T]['row'] }> {
  // Also where there is no row yet, one writer after the other.
  await lockName(tx, `${table} ${value}`);
  const [before] = await rowsOf<T>(tx(table as string).where({ [column]: value }));
  const now = before?.version ?? 0;
  if (now !== version) throw new Conflict('version_conflict', `It is at version ${now} now: read it again, then repeat the change`, { version: now });
  const stored = { ...values, version: version + 1 };
  const [after] = await rowsOf<T>(
    tx(table as string)
      .insert({ [column]: value, ...stored })
      .onConflict(column)
      .merge({ ...stored, updated_at: tx.raw('now()') })
      .returning('*'),
  );
  if (!after) throw new Error(`${table} has not kept ${value}`);
  return { before, after };
}

// Safe: the name of the table is the type of its rows.
async function rowsOf<T extends keyof Versioned>(query: Knex.QueryBuilder): Promise<Versioned[T]['row'][]> {
  return (await query) as Versioned[T]['row'][];
}

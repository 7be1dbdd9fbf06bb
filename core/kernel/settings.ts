// Limits that operators change while processes run. Each process looks at most every two seconds; the one
// that writes looks again at once.
import type { Knex } from 'knex';
import { isSettingName, type SettingName, SETTINGS } from '#contract/platform/settings.ts';

const BELIEVED_MS = 2_000;

interface Known {
  values: Partial<Record<SettingName, number>>;
  /** Of a clock that is never set back. */
  until: number;
}

const known = new WeakMap<object, Known>();

/** What the setting is now: as an operator set it, or its default. `db` may be a transaction. */
export async function setting(db: Knex, name: SettingName): Promise<number> {
  const cached = known.get(processKey(db));
  const values = cached && cached.until > performance.now() ? cached.values : await look(db);
  const { default_value, minimum, maximum } = SETTINGS[name];
  // Bounds may have become narrower since it was written.
  return Math.min(Math.max(values[name] ?? default_value, minimum), maximum);
}

export function forgetSettings(db: Knex): void {
  known.delete(processKey(db));
}

async function look(db: Knex): Promise<Known['values']> {
  const until = performance.now() + BELIEVED_MS;
  const rows = await db('platform_settings').select('key', 'value');
  const values = Object.fromEntries(rows.flatMap(({ key, value }) => (isSettingName(key) ? [[key, value]] : [])));
  known.set(processKey(db), { values, until });
  return values;
}

/** The same object for a pool and its transactions: what a process remembers of a database is kept by it. */
// Safe: a pool and its transactions share the object that they were configured with.
export function processKey(db: Knex): object {
  return (db.client as { config: object }).config;
}

// The keys of every table, from PostgreSQL's catalogue: what db/generate-tables.ts writes to db/keys.ts.
import type { Knex } from 'knex';
import { format } from 'oxfmt';

interface KeyOf {
  table: string;
  /** Columns of the primary key, or of one foreign key. */
  columns: string;
  /** Absent: the primary key. */
  refers_to: string | null;
}

export async function tableKeys(db: Knex): Promise<string> {
  const { rows } = await db.raw<{ rows: KeyOf[] }>(`
    select t.relname as table, coalesce(k.columns, '') as columns, k.refers_to
    from pg_class t left join lateral (
      select (select string_agg(a.attname, ', ' order by u.ord) from unnest(c.conkey) with ordinality u(num, ord)
              join pg_attribute a on a.attrelid = t.oid and a.attnum = u.num) as columns,
             f.relname as refers_to
      from pg_constraint c left join pg_class f on f.oid = c.confrelid
      where c.conrelid = t.oid and c.contype in ('p', 'f')
    ) k on true
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and t.relname not like 'knex\\_%'
    order by t.relname, k.refers_to is not null, k.columns, k.refers_to`);
  return keysSource(rows);
}

async function keysSource(rows: readonly KeyOf[]): Promise<string> {
  const source = [
    '// Generated from the migrated schema by db/generate-tables.ts; a test fails when it is stale. Do not edit.',
    'export interface Keys {',
    '/** Columns, separated by commas; empty: it has no primary key. */',
    'primary: string;',
    '/** Foreign keys: the table that each refers to, by its columns. */',
    'foreign: Readonly<Record<string, string>>;',
    '}',
    'export const KEYS = {',
    ...[...Map.groupBy(rows, ({ table }) => table)].map(([table, keys]) => `${table}: ${keysText(keys)},`),
    '} as const satisfies Record<string, Keys>;',
    'export type TableName = keyof typeof KEYS;',
  ].join('\n');
  const { code, errors } = await format('keys.ts', source, { printWidth: 160, singleQuote: true });
  if (errors.length > 0) throw new Error(`the keys of the tables are no TypeScript: ${errors[0]?.message}`);
  return code;
}

function keysText(keys: readonly KeyOf[]): string {
  const primary = keys.find(({ refers_to }) => refers_to === null)?.columns ?? '';
  const foreign = keys.flatMap(({ columns, refers_to }) => (refers_to === null ? [] : [`'${columns}': '${refers_to}'`]));
  return `{ primary: '${primary}', foreign: {${foreign.join(', ')}} }`;
}

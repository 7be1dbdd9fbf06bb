// Writes db/tables.ts and db/keys.ts from a migrated database: `node db/generate-tables.ts` (DATABASE_URL),
// or in memory for the drift test.
import { pathToFileURL } from 'node:url';
import { writeFile } from 'node:fs/promises';
import type { Knex } from 'knex';
// The formatter of the repository: what it writes passes its own check.
import { format } from 'oxfmt';
import { COLUMN_WORDS } from './column-words.ts';
import { tableKeys } from './generate-keys.ts';
import { createPool } from './pool.ts';

interface Column {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
  defaulted: boolean;
}

const words: Record<string, string> = COLUMN_WORDS;

/** What a column reads as. JSON is `unknown`: db/table-types.ts says what is written. */
const TYPES: Record<string, string> = {
  text: 'string',
  varchar: 'string',
  int4: 'number',
  int8: 'number',
  float8: 'number',
  bool: 'boolean',
  timestamptz: 'Date',
  json: 'unknown',
  jsonb: 'unknown',
  tsvector: 'string',
  _text: 'string[]',
  _int4: 'number[]',
};

/** The words that a check of one column allows, by `table.column`. */
export async function checkedWords(db: Knex): Promise<Record<string, string[]>> {
  const { rows } = await db.raw<{ rows: { column: string; definition: string }[] }>(`
    select c.conrelid::regclass || '.' || a.attname as column, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'c' and c.connamespace = 'public'::regnamespace and cardinality(c.conkey) = 1 order by 1`);
  const entries = rows.flatMap(({ column, definition }) => {
    const words = /= ANY \(\(?ARRAY\[(.*)\]/.exec(definition)?.[1];
    return words === undefined ? [] : [[column, [...words.matchAll(/'([^']*)'/g)].map(([, word = '']) => word)] as const];
  });
  return Object.fromEntries(entries);
}

export async function tableTypes(db: Knex): Promise<string> {
  const { rows } = await db.raw<{ rows: Column[] }>(`
    select c.table_name as table, c.column_name as column, c.udt_name as type,
           c.is_nullable = 'YES' as nullable, c.column_default is not null as defaulted
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name not like 'knex_%'
    order by c.table_name, c.ordinal_position`);
  const tables = [...Map.groupBy(rows, (column) => column.table)];
  const source = [
    '// Generated from the migrated schema by db/generate-tables.ts; a test fails when it is stale. Do not edit.',
    "import type * as states from '#contract/states.ts';",
    "import type { Table } from './table-types.ts';",
    '',
    ...tables.flatMap(([table, columns]) => [
      `export interface ${pascal(table)}Row {`,
      ...columns.map((column) => `${column.column}: ${readType(column)};`),
      '}',
    ]),
    "declare module 'knex/types/tables.js' {",
    'interface Tables {',
    ...tables.map(([table, columns]) => `${table}: Table<${[`${pascal(table)}Row`, ...namesOf(columns)].join(', ')}>;`),
    '}',
    '}',
  ].join('\n');
  const { code, errors } = await format('tables.ts', source, { printWidth: 160, singleQuote: true });
  if (errors.length > 0) throw new Error(`the types of the tables are no TypeScript: ${errors[0]?.message}`);
  return code;
}

/** What a row does not say of its columns: which have defaults, and which of JSON may be null. */
function namesOf(columns: readonly Column[]): string[] {
  const defaulted = unionOf(columns.filter((column) => column.defaulted && !(column.nullable && isJson(column))));
  const nullableJson = unionOf(columns.filter((column) => column.nullable && isJson(column)));
  if (nullableJson === 'never') return defaulted === 'never' ? [] : [defaulted];
  return [defaulted, nullableJson];
}

function unionOf(columns: readonly Column[]): string {
  return columns.map(({ column }) => `'${column}'`).join(' | ') || 'never';
}

function isJson({ type }: Column): boolean {
  return TYPES[type] === 'unknown';
}

function readType(column: Column): string {
  const list = words[`${column.table}.${column.column}`];
  const type = list === undefined ? TYPES[column.type] : `(typeof states.${list})[number]`;
  if (type === undefined) throw new Error(`no TypeScript type for PostgreSQL type ${column.type}: add it to db/generate-tables.ts`);
  return column.nullable && type !== 'unknown' ? `${type} | null` : type;
}

function pascal(name: string): string {
  return name.replace(/(^|_)([a-z])/g, (_all, _sep, letter: string) => letter.toUpperCase());
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const connectionString = process.env.DATABASE_URL;
  if (!connectionString) throw new Error('set DATABASE_URL to a migrated database');
  const db = createPool({ connectionString });
  await writeFile(new URL('./tables.ts', import.meta.url), await tableTypes(db));
  await writeFile(new URL('./keys.ts', import.meta.url), await tableKeys(db));
  await db.destroy();
}

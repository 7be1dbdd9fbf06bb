// Writes db/tables.ts from a migrated database: `node db/generate-tables.ts` (DATABASE_URL), or in memory for the drift test.
import { pathToFileURL } from 'node:url';
import { writeFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { createPool } from './pool.ts';

interface Column {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
  defaulted: boolean;
  /** Of the check that allows a list of words alone. */
  words: string[] | undefined;
}

/** Of a line. */
const MOST_COLUMNS = 160;

/** What a column reads as, and what may be written to it. JSON is written as text, so that arrays are not taken for PostgreSQL arrays. */
const typescriptOf: Record<string, { read: string; write: string }> = {
  text: { read: 'string', write: 'string' },
  varchar: { read: 'string', write: 'string' },
  int4: { read: 'number', write: 'number' },
  int8: { read: 'number', write: 'number' },
  float8: { read: 'number', write: 'number' },
  bool: { read: 'boolean', write: 'boolean' },
  timestamptz: { read: 'Date', write: 'Date | string' },
  json: { read: 'unknown', write: 'string' },
  jsonb: { read: 'unknown', write: 'string' },
  tsvector: { read: 'string', write: 'string' },
  _text: { read: 'string[]', write: 'string[]' },
  _int4: { read: 'number[]', write: 'number[]' },
};

/** The words that a check of one column allows, by `table.column`. */
export async function checkedWords(db: Knex): Promise<Record<string, string[]>> {
  const { rows } = await db.raw<{ rows: { column: string; definition: string }[] }>(`
    select c.conrelid::regclass || '.' || a.attname as column, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'c' and c.connamespace = 'public'::regnamespace and cardinality(c.conkey) = 1 order by 1`);
  const found = rows.flatMap(({ column, definition }) => {
    const words = /= ANY \(\(?ARRAY\[(.*)\]/.exec(definition)?.[1];
    return words === undefined ? [] : [[column, [...words.matchAll(/'([^']*)'/g)].map(([, word = '']) => word)] as const];
  });
  return Object.fromEntries(found);
}

export async function tableTypes(db: Knex): Promise<string> {
  const words = await checkedWords(db);
  const { rows } = await db.raw<{ rows: Omit<Column, 'words'>[] }>(`
    select c.table_name as table, c.column_name as column, c.udt_name as type,
           c.is_nullable = 'YES' as nullable, c.column_default is not null as defaulted
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name not like 'knex_%'
    order by c.table_name, c.ordinal_position`);
  const columns = rows.map((row): Column => ({ ...row, words: words[`${row.table}.${row.column}`] }));
  const tables = [...Map.groupBy(columns, (column) => column.table)];
  return [
    '// Generated from the migrated schema by db/generate-tables.ts; a test fails when it is stale. Do not edit.',
    "import type { Knex } from 'knex';",
    '',
    '/** An update may compute its values in SQL. */',
    'type Changes<T> = { [K in keyof T]?: T[K] | Knex.Raw };',
    '',
    ...tables.flatMap(([table, all]) => [
      `export interface ${pascal(table)}Row {`,
      ...all.map((c) => member(c.column, readType(c))),
      '}',
      `export interface ${pascal(table)}Insert {`,
      ...all.map((c) => member(`${c.column}${c.nullable || c.defaulted ? '?' : ''}`, writeType(c))),
      '}',
      '',
    ]),
    "declare module 'knex/types/tables.js' {",
    '  interface Tables {',
    ...tables.map(([table]) => `    ${table}: Knex.CompositeTableType<${pascal(table)}Row, ${pascal(table)}Insert, Changes<${pascal(table)}Insert>>;`),
    '  }',
    '}',
    '',
  ].join('\n');
}

/** As the formatter writes it: a union that is too long for a line has a line for each word. */
function member(name: string, type: string): string {
  const line = `  ${name}: ${type};`;
  if (line.length <= MOST_COLUMNS) return line;
  return `  ${name}:\n${type
    .split(' | ')
    .map((word) => `    | ${word}`)
    .join('\n')};`;
}

function readType(column: Column): string {
  const read = wordsOf(column) ?? typeOf(column.type).read;
  return column.nullable && read !== 'unknown' ? `${read} | null` : read;
}

function writeType(column: Column): string {
  const write = wordsOf(column) ?? typeOf(column.type).write;
  return column.nullable ? `${write} | null` : write;
}

function wordsOf({ words }: Column): string | undefined {
  return words?.map((word) => `'${word}'`).join(' | ');
}

function typeOf(type: string): { read: string; write: string } {
  const found = typescriptOf[type];
  if (!found) throw new Error(`no TypeScript type for PostgreSQL type ${type}: add it to db/generate-tables.ts`);
  return found;
}

function pascal(name: string): string {
  return name.replace(/(^|_)([a-z])/g, (_all, _sep, letter: string) => letter.toUpperCase());
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const connectionString = process.env.DATABASE_URL;
  if (!connectionString) throw new Error('set DATABASE_URL to a migrated database');
  const db = createPool({ connectionString });
  await writeFile(new URL('./tables.ts', import.meta.url), await tableTypes(db));
  await db.destroy();
}

// docs/contributing/data-model.md: every table with its keys, from db/keys.ts, and what a row is, from
// docs/table-rows.ts.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Keys, KEYS, type TableName } from '#db/keys.ts';
import { ROWS } from './table-rows.ts';

export const DATA_MODEL = 'docs/contributing/data-model.md';

const HEAD = `# Data model

For engineers. Every table of the installation's database, by the area of \`core/\` that it belongs to. Areas without tables: \`accounts\`, \`public\`, \`overview\`.
\`node docs/pages.ts\` writes this page from \`db/keys.ts\` (the keys of the migrated schema) and \`docs/table-rows.ts\` (what a row is).
Columns and their types: \`db/tables.ts\`. The words of states and kinds: \`contract/states.ts\`. Which tables a call writes: [architecture](../architecture.md#the-tables-that-a-call-writes).

- **Belongs to** lists foreign keys. Some ids have none: the books and receipts must stay when an account or agent is purged.
- Moments are \`timestamptz\`, amounts of money are micro-credits (a millionth of a US dollar), secrets are encrypted (\`…_sealed\`) or hashed (\`…_hash\`).
- Most tables are written by the verbs of their area. \`users\` is written by \`core/identity/\` and \`core/orgs/\`; a purge (\`core/platform/purge/plan.ts\`) removes rows of every area.
- A new table: [AGENTS.md](../../AGENTS.md#a-new-route-in-15-minutes), step 5.
`;

/** @param root of the repository */
export function dataModel(root: string): string {
  const sections = Object.entries(ROWS).map(([area, rows]) => sectionOf(area, rows, migrationsOf(root)));
  return [HEAD, ...sections].join('\n');
}

function sectionOf(area: string, rows: Partial<Record<TableName, string>>, made: ReadonlyMap<string, string>): string {
  const tables = Object.keys(rows).filter(isTable);
  const files = [...new Set(tables.map((table) => made.get(table) ?? ''))].map((file) => `\`db/migrations/${file}\``);
  return [
    `## ${area}`,
    '',
    `\`core/${area}/\`. Made in ${files.join(', ')}.`,
    '',
    '| table | one row is | primary key | belongs to |',
    '|---|---|---|---|',
    ...tables.map((table) => `| \`${table}\` | ${rows[table] ?? ''} | ${columns(KEYS[table].primary)} | ${foreignOf(KEYS[table])} |`),
    '',
  ].join('\n');
}

function isTable(name: string): name is TableName {
  return Object.hasOwn(KEYS, name);
}

function columns(list: string): string {
  return list === '' ? 'none' : list.split(', ').map((one) => `\`${one}\``).join(', '); // prettier-ignore
}

function foreignOf({ foreign }: Keys): string {
  return Object.entries(foreign).map(([of, table]) => `${columns(of)} → \`${table}\``).join(', '); // prettier-ignore
}

/** The file that makes each table. */
function migrationsOf(root: string): ReadonlyMap<string, string> {
  const cwd = join(root, 'db/migrations');
  const made = globSync('**/*.ts', { cwd }).map((file) => {
    const text = readFileSync(join(cwd, file), 'utf8');
    return [...text.matchAll(/^\s*create (?:unlogged )?table (\w+) /gm)].map(([, table = '']) => [table, file] as const);
  });
  return new Map(made.flat());
}

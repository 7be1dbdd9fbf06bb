// Writes an empty migration with the next number: `npm run migration -- add_a_table`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { knownMigrations, migrationConfig } from './migrate.ts';

const STUB = `import type { Knex } from 'knex';

/** What a person notices, and why. */
export async function up(db: Knex): Promise<void> {
  await db.raw(\`
  \`);
}

/**
 * Takes it back. If nothing can, it throws an Error that says why, and its file is named in NO_WAY_BACK of
 * db/schema.test.ts.
 */
export async function down(db: Knex): Promise<void> {
  await db.raw('');
}
`;

/** @returns the path of the new file. */
export async function newMigration(name: string, directory = migrationConfig.directory): Promise<string> {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) {
    throw new Error('Name the migration in lower-case words joined by "_": npm run migration -- add_a_table');
  }
  const names = await knownMigrations(directory);
  if (names.some((file) => wordsOf(file) === name)) throw new Error(`There is a migration with the name ${name} already: choose another.`);
  const last = Number(names.at(-1)?.slice(0, 4) ?? 0);
  const path = join(directory, `${String(last + 1).padStart(4, '0')}_${name}.ts`);
  await writeFile(path, STUB, { flag: 'wx' });
  return path;
}

/** What is wrong with the names of migrations; empty when nothing is. */
export function faultsOf(names: readonly string[]): string[] {
  const faults = names
    .filter((name) => !/^\d{4}_[a-z0-9]+(_[a-z0-9]+)*\.ts$/.test(name))
    .map((name) => `${name}: migrations have a number, not a date. Delete it, then write it with: npm run migration -- NAME`);
  if (faults.length > 0) return faults;
  const misplaced = names.toSorted().filter((name, at) => Number(name.slice(0, 4)) !== at + 1);
  const repeated = names.filter((name, at) => names.findIndex((other) => wordsOf(other) === wordsOf(name)) !== at);
  return [
    ...misplaced.slice(0, 1).map((name) => `${name}: its number repeats one or leaves a gap. Rename it to the next number`),
    ...repeated.map((name) => `${name}: another migration has this name. Choose another`),
  ];
}

function wordsOf(file: string): string {
  return file.slice(5).replace(/\.ts$/, '');
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  try {
    process.stdout.write(`${await newMigration(positionals.join('_'))}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

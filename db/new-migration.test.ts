import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { knownMigrations, LAST_BASELINE } from './migrate.ts';
import { faultsOf, newMigration } from './new-migration.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-migrations-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

test('migrations are numbered without gaps, and no name comes twice', async () => {
  const names = await knownMigrations();
  expect(names).toContain(LAST_BASELINE);
  expect(faultsOf(names)).toEqual([]);
});

test('every migration has an up, and a down', async () => {
  for (const name of await knownMigrations()) {
    const Migration = z.object({ up: z.function(), down: z.function() });
    expect(Migration.safeParse(await import(`./migrations/${name.slice(0, -3)}.ts`)).success, name).toBe(true);
  }
});

test('a date, a gap, a number or a name that comes twice is a fault that says what to do', () => {
  expect(faultsOf(['0001_a.ts', '20261208_10_b.ts'])).toEqual([
    '20261208_10_b.ts: migrations have a number, not a date. Delete it, then write it with: npm run migration -- NAME',
  ]);
  expect(faultsOf(['0001_a.ts', '20261128201500_b.ts'])).toHaveLength(1);
  expect(faultsOf(['0001_a.ts', '0003_b.ts'])).toEqual(['0003_b.ts: its number repeats one or leaves a gap. Rename it to the next number']);
  expect(faultsOf(['0001_a.ts', '0002_b.ts', '0002_c.ts'])).toEqual(['0002_c.ts: its number repeats one or leaves a gap. Rename it to the next number']);
  expect(faultsOf(['0001_a.ts', '0002_a.ts'])).toEqual(['0002_a.ts: another migration has this name. Choose another']);
});

test('a new migration has the next number', async () => {
  for (const name of ['0001_a.ts', '0002_b.ts']) await writeFile(join(folder, name), '');
  expect(basename(await newMigration('add_a_table', folder))).toBe('0003_add_a_table.ts');
  expect(basename(await newMigration('more', folder))).toBe('0004_more.ts');
  expect(await readFile(join(folder, '0003_add_a_table.ts'), 'utf8')).toContain('export async function down(db: Knex)');
  expect(faultsOf(await knownMigrations(folder))).toEqual([]);
});

test('a new migration is refused without a name, with one that is taken, or with one that is no name', async () => {
  await writeFile(join(folder, '0001_a.ts'), '');
  for (const name of ['', 'AddTable', '../b', 'add-a-table']) await expect(newMigration(name, folder)).rejects.toThrow('npm run migration -- add_a_table');
  await expect(newMigration('a', folder)).rejects.toThrow('choose another');
  expect(await readdir(folder)).toEqual(['0001_a.ts']);
});

test("knex's own migrate:make writes nothing and says what to use", async () => {
  const before = await knownMigrations();
  const knex = createRequire(import.meta.url).resolve('knex/bin/cli.js');
  const root = fileURLToPath(new URL('../', import.meta.url));
  const said = await new Promise<string>((resolve) =>
    execFile(process.execPath, [knex, 'migrate:make', 'something', '--knexfile', 'knexfile.ts'], { cwd: root }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    ),
  );
  expect(said).toContain('npm run migration -- NAME');
  expect(await knownMigrations()).toEqual(before);
});

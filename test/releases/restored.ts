// A fixture at the present: its rows in a fresh database of its own schema, its files in a fresh state
// folder, then the platform of today, which migrates and starts on a Temporal that knows nothing of it.
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import pg from 'pg';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { migrationConfig } from '#db/migrate.ts';
import { createPool } from '#db/pool.ts';
import { type KeptHost, keepHost } from '../chaos/world.ts';
import { type Installation, installation, ok } from '../e2e/installation.ts';
import { unpackInto } from './archive.ts';
import { databaseUrl } from './database.ts';
import { type Person, type PersonName, personWith } from './installation.ts';
import { KEPT } from './make.ts';
import { Manifest } from './manifest.ts';
import { type Dump, schemaOf, writeTables } from './tables.ts';

export const RELEASES = join(import.meta.dirname, '../../db/releases');

export interface Restored {
  manifest: Manifest;
  i: Installation;
  db: pg.Client;
  people: Record<PersonName, Person>;
  destroy(): Promise<void>;
}

/** Their versions. */
export async function fixtures(): Promise<string[]> {
  const entries = await readdir(RELEASES, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

export async function readManifest(folder: string): Promise<Manifest> {
  return Manifest.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));
}

async function readDumps(folder: string): Promise<Map<string, Dump>> {
  const names = await readdir(folder);
  const dumps = names.map(async (name): Promise<[string, Dump]> => {
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n');
    // Safe: readTables wrote these lines.
    return [name.slice(0, -'.jsonl'.length), lines.map((line) => JSON.parse(line) as string[]) as unknown as Dump];
  });
  return new Map(await Promise.all(dumps));
}

/** The schema of then, by the migrations of then. @throws where they make another one today */
async function migrateTo(db: Knex, { migrations, schema_sha256, version }: Manifest, client: pg.Client): Promise<void> {
  for (const name of migrations) await db.migrate.up({ ...migrationConfig, name });
  const schema = await schemaOf(client);
  if (createHash('sha256').update(schema).digest('hex') !== schema_sha256)
    throw new Error(`The migrations of ${version} make another schema today: take back what changed them, and write a new migration instead.\n${schema}`);
}

export async function restore(folder: string): Promise<Restored> {
  const manifest = await readManifest(folder);
  const i = await installation();
  let host: KeptHost | undefined;
  let db: pg.Client | undefined;
  const destroy = async (): Promise<void> => {
    await db?.end();
    await host?.stop();
    await i.destroy();
  };
  try {
    const unpacked = await mkdtemp(join(tmpdir(), 'svc-fixture-'));
    try {
      await unpackInto(unpacked, join(folder, 'fixture.tar.zst'));
      for (const part of KEPT) await cp(join(unpacked, part), join(i.stateDir, part), { recursive: true });
      i.env.SVC_PARTS = 'postgres';
      ok(await i.stack('up'));
      await load(databaseUrl(i.stateDir), manifest, await readDumps(join(unpacked, 'tables')));
    } finally {
      await rm(unpacked, { recursive: true, force: true });
    }
    ok(await i.stack('down'));
    i.env.SVC_PARTS = 'postgres,temporal,migrate,namespace,worker,api,imports';
    host = keepHost(i);
    ok(await i.stack('up'));
    db = new pg.Client({ connectionString: databaseUrl(i.stateDir) });
    await db.connect();
    const signed = (name: PersonName): Promise<Person> => signedIn(i, db, name, manifest.people[name] ?? '');
    const [ada, ben, operator] = [await signed('ada'), await signed('ben'), await signed('operator')];
    return { manifest, i, db, people: { ada, ben, operator }, destroy };
  } catch (error) {
    await destroy();
    throw error;
  }
}

async function load(url: string, manifest: Manifest, dumps: Map<string, Dump>): Promise<void> {
  const pool = createPool({ connectionString: url, max: 2 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await migrateTo(pool, manifest, client);
    const laterMs = Date.now() - Date.parse(manifest.made_at);
    await writeTables(client, dumps, laterMs);
    await moveDeadlines(client, laterMs);
  } finally {
    await client.end();
    await pool.destroy();
  }
}

/** Columns of times were moved; the deadlines of waits stand in what starts their workflows, too. */
async function moveDeadlines(client: pg.Client, laterMs: number): Promise<void> {
  await client.query(
    `update outbox set message = jsonb_set(message, '{args,0,expires_at}', to_jsonb((message #>> '{args,0,expires_at}')::numeric + $1))
     where kind = 'start' and name = 'humanWait' and message #> '{args,0,expires_at}' is not null`,
    [laterMs],
  );
}

/**
 * A token of their own: the address of the installation, and so of its identity provider, is another one
 * here.
 */
async function signedIn(i: Installation, db: pg.Client | undefined, name: PersonName, userId: string): Promise<Person> {
  const token = newPlatformToken();
  await db?.query("insert into platform_tokens (token_id, token_hash, kind, user_id, label) values ($1, $2, 'user', $3, 'test')", [newId('tok'), hashSecret(token), userId]); // prettier-ignore
  return personWith(i.baseUrl, name, token);
}

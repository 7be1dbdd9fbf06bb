// Makes the fixture of a release: an installation with data of every area, then its rows, files and keys as
// they are at one moment.
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMPTY, FLEETING } from '#db/releases/empty.ts';
import { packFolder, writeText } from './archive.ts';
import { withDatabase } from './database.ts';
import { type Made, ORGANIZATION, PEOPLE, startInstallation } from './installation.ts';
import { look } from './looks.ts';
import type { Manifest } from './manifest.ts';
import { eventually, type Play, when } from './play.ts';
import { agents } from './scenes/agents.ts';
import { money } from './scenes/money.ts';
import { organization } from './scenes/orgs.ts';
import { platform } from './scenes/platform.ts';
import { runs } from './scenes/runs.ts';
import { studio } from './scenes/studio.ts';
import { lent } from './scenes/lent.ts';
import { openWork, waits } from './scenes/open-work.ts';
import { type Dump, readTables, schemaOf } from './tables.ts';

/** What is compressed is committed. */
export const MAX_BYTES = 1024 * 1024;
/** What of the state folder is not made again by starting. */
export const KEPT = ['git', 'storage', 'secrets'];

export interface Wanted {
  version: string;
  /** The folder of the fixture. */
  folder: string;
  say(text: string): void;
  /** What was started is stopped, whatever it is doing. */
  signal: AbortSignal;
}

export async function makeFixture({ version, folder, say, signal }: Wanted): Promise<void> {
  const made = await startInstallation(say);
  const stopped = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  try {
    await Promise.race([stopped, played(made, { version, folder, say })]);
  } finally {
    await made.destroy();
  }
}

async function played(made: Made, wanted: Omit<Wanted, 'signal'>): Promise<void> {
  const play: Play = {
    ...made,
    notes: { waits: [], gate: { dag_run_id: '' }, running: { run_id: '', agent: '' }, schedules: [], secrets: {}, repositories: {} },
  };
  for (const scene of [agents, waits, runs, lent, money, organization, studio, platform, openWork]) {
    wanted.say(scene.name);
    await scene(play);
  }
  await eventually(
    'every table to be filled',
    async () => {
      const missing = faultsOf(await withDatabase(play.i.stateDir, readTables));
      return when(true, missing.length === 0);
    },
    { everyMs: 2_000, forMs: 420_000 },
  ).catch(() => undefined);
  await keep(play, wanted);
}

/** Tables that are neither filled nor on the list, and those that are both. */
export function faultsOf(dumps: ReadonlyMap<string, Dump>): string[] {
  return [...dumps].flatMap(([table, [, ...rows]]) => {
    if (FLEETING[table] !== undefined) return [];
    if (rows.length === 0 && EMPTY[table] === undefined) return [`${table} is empty: fill it through the API in test/releases/scenes, or name it with its reason in db/releases/empty.ts`]; // prettier-ignore
    if (rows.length > 0 && EMPTY[table] !== undefined) return [`${table} is filled: take it off db/releases/empty.ts`];
    return [];
  });
}

async function keep(play: Play, { version, folder, say }: Omit<Wanted, 'signal'>): Promise<void> {
  const { i, people, notes } = play;
  const [dumps, schema, migrations] = await withDatabase(i.stateDir, async (db) => {
    const { rows } = await db.query<{ name: string }>('select name from knex_migrations order by id');
    return [await readTables(db), await schemaOf(db), rows.map(({ name }) => name)] as const;
  });
  const { reads, unread } = await look(
    i.baseUrl,
    PEOPLE.map((name) => people[name]),
    dumps,
  );
  if (unread.length > 0) say(`read by nobody: ${unread.join(', ')}`);
  const manifest: Manifest = {
    version,
    made_at: new Date().toISOString(),
    migrations,
    schema_sha256: createHash('sha256').update(schema).digest('hex'),
    people: Object.fromEntries(PEOPLE.map((name) => [name, people[name].userId])),
    organization: ORGANIZATION,
    rows: Object.fromEntries([...dumps].map(([table, [, ...rows]]) => [table, rows.length])),
    ...notes,
    receipts: (dumps.get('receipts')?.length ?? 1) - 1,
    reads,
  };
  const draft = await mkdtemp(join(tmpdir(), 'svc-fixture-'));
  try {
    for (const [table, dump] of dumps) await writeText(join(draft, 'tables', `${table}.jsonl`), dump.map((row) => JSON.stringify(row)).join('\n'));
    for (const part of KEPT) await cp(join(i.stateDir, part), join(draft, part), { recursive: true });
    await rm(join(draft, 'secrets', 'postgres.password'));
    const packed = await packFolder(draft);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'fixture.tar.zst'), packed);
    await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    say(`${folder}: ${packed.length} bytes, ${Object.keys(manifest.rows).length} tables, ${reads.length} reads`);
    const faults = [...faultsOf(dumps), ...(packed.length > MAX_BYTES ? [`the fixture is ${packed.length} bytes long, more than ${MAX_BYTES}`] : [])];
    if (faults.length > 0) throw new Error(faults.join('\n'));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

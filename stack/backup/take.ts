// Takes one backup of an installation that runs. The order makes it one position, that of the database:
//
//   contents      most of them; each is stored before a row names it, and goes a day after the last that does
//   database      its end is the position
//   machines      those that slept from before the position until they were read
//   contents      those that came meanwhile: all that the database names is there
//   repositories  git keeps every commit that was there at the position; a later one is only not known to it
//   keys          after the database, so that a new key that it needs is among them
//   manifest      last: without it there is no backup
//
// What breaks off leaves contents that the next backup uses.
import { randomBytes } from 'node:crypto';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { appliedMigrations } from '#db/migrate.ts';
import { createPool } from '#db/pool.ts';
import { VERSION } from '#version.ts';
import { withLock } from '../setup/lock.mjs';
import { startBaseBackup } from './base-backup.ts';
import { backUpBoxes, backUpLayers, backUpRepositories } from './folders.ts';
import { type ContentWriter, contentWriter } from './contents.ts';
import { machineFacts } from './machines.ts';
import { type Body, listBackups, type Manifest, readManifest, writeManifest } from './manifest.ts';
import { backUpMemory, watchAsleep } from './memory.ts';
import { backUpObjects } from './objects.ts';
import { countOf, sizeOf, stepper } from './report.ts';
import { writeSecrets } from './secrets.ts';
import type { Source } from './source.ts';
import type { Target } from './target.ts';

export interface TakeOptions {
  print(line: string): void;
  signal: AbortSignal;
  /** False: the database is backed up by other means. */
  database: boolean;
}

/** The backup, and sentences on what could not be read of the installation. */
export interface Taken extends Manifest {
  faults: string[];
}

/** @param after is done before another backup of the installation can begin */
export function takeBackup(source: Source, target: Target, options: TakeOptions, after?: () => Promise<void>): Promise<Taken> {
  const wait = (): void => options.print('Another backup of this installation is under way: this one begins when that has ended.');
  const work = async (): Promise<Taken> => {
    const taken = await takeAlone(source, target, options);
    await after?.();
    return taken;
  };
  return withLock(`backup ${source.stateDir}`, work, wait);
}

async function takeAlone(source: Source, target: Target, { print, signal, database }: TakeOptions): Promise<Taken> {
  const begun = performance.now();
  // Calls come first: they and the backup share the processors.
  setPriority(5);
  const at = new Date();
  const step = stepper(print);
  const db = createPool({ connectionString: source.databaseUrl, max: 2, applicationName: 'svc-backup' });
  try {
    const writer = await contentWriter(target, signal);
    const known = (await listBackups(target)).length === 0 ? undefined : (await readManifest(target)).body;
    const objects = backUpObjects({ db, storage: source.storage, writer, known: known?.objects ?? [], signal });
    await step('contents', () => objects.round(), () => ['most of them']); // prettier-ignore
    const taken = database ? await step('database', () => backUpDatabase(source, db, writer, signal), ({ content }) => ['PostgreSQL', sizeOf(content.bytes)]) : undefined; // prettier-ignore
    const vmDir = join(source.stateDir, 'vm');
    const machines = await step('machines', () => backUpMemory({ writer, vmDir, asleep: taken?.asleep ?? new Map(), known: known?.memory ?? [], knownImages: known?.images ?? [] }), ({ memory }) => [countOf(memory.length, 'machine'), sizeOf(bytesOf(memory))]); // prettier-ignore
    const layers = await backUpLayers(writer, source.stateDir, known?.images ?? []);
    await objects.round();
    const contents = await step('contents', () => objects.result(), (done) => [countOf(done.objects.length, 'object'), sizeOf(bytesOf(done.objects))]); // prettier-ignore
    const git = { writer, signal, known: known?.repositories ?? [] };
    const repositories = await step('repositories', () => backUpRepositories(git, join(source.stateDir, 'git'), join(source.stateDir, 'scratch')), (done) => [countOf(done.length, 'repository', 'repositories'), sizeOf(bytesOf(done))]); // prettier-ignore
    const boxes = await backUpBoxes({ writer, signal, known: known?.boxes ?? [] }, join(source.stateDir, 'box'));
    const migrations = await appliedMigrations(db);
    const images = [...new Map([...layers, ...machines.images].map((one) => [one.name, one])).values()];
    signal.throwIfAborted();

    const id = `${at.toISOString().slice(0, 19).replaceAll(':', '').toLowerCase()}z-${randomBytes(2).toString('hex')}`;
    const body: Body = {
      database: taken ? { content: taken.content, start_lsn: taken.start_lsn, stop_lsn: taken.stop_lsn, ...loginOf(source) } : null,
      migration: migrations.at(-1) ?? '',
      migrations,
      installation: source.installation,
      state_dir: source.stateDir,
      cache_dir: source.cacheDir,
      machine: await machineFacts(),
      objects: contents.objects,
      repositories,
      memory: machines.memory,
      images,
      boxes: boxes.stored,
      gone: contents.gone,
      notes: notesOf({ woken: machines.woken.length, boxes: boxes.busy, database }),
    };
    const all = [...body.objects, ...repositories, ...body.memory, ...images, ...body.boxes];
    await writeSecrets(target, id, source.secretsDir);
    const head = {
      format: 1 as const,
      id,
      release: VERSION,
      made_at: at.toISOString(),
      took_ms: Math.round(performance.now() - begun),
      bytes: bytesOf(all) + (taken?.content.bytes ?? 0),
      sent_bytes: writer.sent,
      postgres: taken ? await majorOf(db) : null,
    };
    signal.throwIfAborted();
    await writeManifest(target, { head, body });
    for (const note of body.notes) print(note);
    return { head, body, faults: contents.faults };
  } finally {
    await db.destroy();
  }
}

async function backUpDatabase(source: Source, db: Knex, writer: ContentWriter, signal: AbortSignal) {
  if ((await majorOf(db)) < 15)
    throw new Error('PostgreSQL is older than 15, whose backups svc cannot read. Upgrade it, or use its own backups with --without-database.');
  const backup = await startBaseBackup(source.databaseUrl);
  const giveUp = (): void => backup.abort(new Error('The backup was interrupted.'));
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const watched = watchAsleep(db, join(source.stateDir, 'vm'), backup.done);
    const [content, position, asleep] = await Promise.all([writer.write(backup.archive), backup.done, watched]);
    return { content, ...position, asleep };
  } finally {
    signal.removeEventListener('abort', giveUp);
    backup.archive.destroy();
  }
}

async function majorOf(db: Knex): Promise<number> {
  const { rows } = await db.raw<{ rows: { major: number }[] }>("select current_setting('server_version_num')::int / 10000 as major");
  return rows[0]?.major ?? 0;
}

function loginOf({ databaseUrl, ownDatabase }: Source): { user: string; name: string; own: boolean } {
  const { username, pathname } = new URL(databaseUrl);
  return { user: decodeURIComponent(username), name: decodeURIComponent(pathname.slice(1)), own: ownDatabase };
}

const bytesOf = (all: readonly { bytes: number }[]): number => all.reduce((sum, { bytes }) => sum + bytes, 0);

function notesOf({ woken, boxes, database }: { woken: number; boxes: string[]; database: boolean }): string[] {
  return [
    ...(database ? [] : ['The database is not in this backup, and neither is memory of machines. Take a backup of the database now, by its own means.']),
    ...(woken > 0 ? [`${countOf(woken, 'machine')} woke while the backup ran. After a restore their runs end with host_lost, and can be run again.`] : []),
    ...(boxes.length > 0
      ? [
          `${countOf(boxes.length, 'dev box', 'dev boxes')} in use ${boxes.length === 1 ? 'is' : 'are'} not in it: ${boxes.join(', ')}. Stop a box to have it in the next one.`,
        ]
      : []),
  ];
}

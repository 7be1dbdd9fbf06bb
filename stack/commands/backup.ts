// `backup`: takes one, lists them, checks one. `verify`: checks the installation that runs.
import { join } from 'node:path';
import { listBackups, readManifest } from '../backup/manifest.ts';
import { passphraseOf } from '../backup/passphrase.ts';
import { countOf, lineOf, sizeOf, timeOf } from '../backup/report.ts';
import { openSource, runBackup } from '../backup/run.ts';
import { openPlace, type Place, unlock } from '../backup/target.ts';
import { verifyBackup, verifyInstallation } from '../backup/verify.ts';
import type { Settings } from '../settings.ts';

type Print = (line: string) => void;
export interface BackupArguments {
  positionals: string[];
  to?: string | undefined;
  keep?: string | undefined;
  'without-database': boolean;
}

const USAGE = 'npm run backup -- --to DIR|s3://bucket/prefix [--keep N] [--without-database] | list FROM | verify FROM [ID]';

export async function backup(
  settings: Settings,
  { positionals: [what, from, id], ...options }: BackupArguments,
  print: Print,
  signal: AbortSignal,
): Promise<number> {
  if (what === 'list' && from !== undefined) return withPlace(settings, from, (place) => list(place, print));
  if (what === 'verify' && from !== undefined) return withPlace(settings, from, (place) => verify(settings, place, id, print, signal));
  if (what !== undefined || options.to === undefined) {
    print(USAGE);
    return 2;
  }
  const keep = options.keep === undefined ? undefined : Number(options.keep);
  if (keep !== undefined && (!Number.isInteger(keep) || keep < 1)) throw new Error('--keep takes how many backups stay: 1 or more.');
  const faults = await runBackup(settings, { to: options.to, keep, database: !options['without-database'], print, signal });
  for (const fault of faults.slice(0, 20)) print(`Not in the backup: ${fault}.`);
  if (faults.length > 0)
    print(`${countOf(faults.length, 'content')} could not be read. Put them back from an earlier backup, or delete the files that have them.`);
  return faults.length > 0 ? 1 : 0;
}

async function withPlace(settings: Settings, name: string, work: (place: Place) => Promise<number>): Promise<number> {
  const place = await openPlace(name, settings.inherited);
  try {
    return await work(place);
  } finally {
    place.close();
  }
}

async function list(place: Place, print: Print): Promise<number> {
  const all = await listBackups(place);
  for (const { id, release, bytes, took_ms, postgres } of all)
    print([id, `svc ${release}`, postgres === null ? 'without database' : `PostgreSQL ${postgres}`, sizeOf(bytes), timeOf(took_ms)].join('  '));
  if (all.length === 0) print(`No finished backup is in ${place.name}.`);
  return 0;
}

async function verify(settings: Settings, place: Place, id: string | undefined, print: Print, signal: AbortSignal): Promise<number> {
  const target = await unlock(place, passphraseOf(settings.inherited));
  const manifest = await readManifest(target, id);
  print(lineOf('backup', manifest.head.id, `svc ${manifest.head.release}`, sizeOf(manifest.head.bytes)));
  const { stateDir, cacheDir } = settings;
  const faults = await verifyBackup(target, manifest, { print, signal, cacheDir, scratchDir: join(stateDir, 'verify') });
  return conclude(faults, print, 'This backup restores.', 'Do not count on this backup: take another one, and keep the earlier ones until it verifies.');
}

export async function verifyRunning(settings: Settings, print: Print, signal: AbortSignal): Promise<number> {
  const faults = await verifyInstallation(await openSource(settings), { print, signal });
  return conclude(faults, print, 'Everything is well.', 'What is named above can be looked for in a backup: npm run backup -- verify FROM [ID]');
}

function conclude(faults: number, print: Print, well: string, remedy: string): number {
  print(faults === 0 ? well : `${countOf(faults, 'fault')}. ${remedy}`);
  return faults === 0 ? 0 : 1;
}

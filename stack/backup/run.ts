// One backup of this installation with what belongs to it: the target, how many stay there, and the note of
// how it ended.
import { join } from 'node:path';
import { runningDatabaseUrl } from '../parts/postgres.ts';
import { places, type Settings } from '../settings.ts';
import { keepNewest } from './keep.ts';
import { readResult, writeResult } from './last-result.ts';
import { passphraseOf } from './passphrase.ts';
import { countOf, lineOf, messageOf, sizeOf, timeOf } from './report.ts';
import { openInstallationKey, openFiles, type Source } from './source.ts';
import { takeBackup } from './take.ts';
import { openPlace, unlockFor } from './target.ts';

export interface RunOptions {
  to: string;
  /** How many backups stay in the target; absent: all. */
  keep?: number | undefined;
  database: boolean;
  print(line: string): void;
  signal: AbortSignal;
}

export async function openSource(settings: Settings): Promise<Source> {
  const { stateDir, cacheDir, inherited } = settings;
  const { secrets: secretsDir } = places(stateDir);
  const key = await openInstallationKey(secretsDir);
  const storage = await openFiles(inherited, join(stateDir, 'storage'), join(stateDir, 'scratch'));
  return { stateDir, cacheDir, secretsDir, databaseUrl: runningDatabaseUrl(settings), ownDatabase: settings.DATABASE_URL === undefined, storage, ...key };
}

/** Resolves with sentences on what could not be read of the installation; the backup is whole without it. */
export async function runBackup(settings: Settings, options: RunOptions): Promise<string[]> {
  const { to, keep, print, signal } = options;
  const before = readResult(settings.stateDir)?.last ?? null;
  const note = (error: string | null, last = before): void => writeResult(settings.stateDir, { at: new Date().toISOString(), to, error, last });
  const passphrase = passphraseOf(settings.inherited);
  try {
    const source = await openSource(settings);
    const place = await openPlace(to, settings.inherited, true);
    try {
      const target = await unlockFor(place, passphrase, source.installation);
      const { head, faults } = await takeBackup(source, target, options, async () => {
        const { removed, contents } = keep === undefined ? { removed: [], contents: 0 } : await keepNewest(target, keep);
        if (removed.length > 0) print(`Removed ${countOf(removed.length, 'older backup')} and ${countOf(contents, 'content')} of theirs.`);
      });
      print(lineOf('backup', head.id, `${sizeOf(head.bytes)}, sent ${sizeOf(head.sent_bytes)}`, timeOf(head.took_ms)));
      const last = { id: head.id, at: head.made_at, bytes: head.bytes, took_ms: head.took_ms };
      note(faults.length > 0 ? `${countOf(faults.length, 'content')} could not be read: ${faults[0]}.` : null, last);
      return faults;
    } finally {
      place.close();
    }
  } catch (error) {
    if (signal.aborted) throw new Error('Interrupted: no backup was made. What was sent is used by the next one.', { cause: error });
    note(messageOf(error));
    throw error;
  }
}

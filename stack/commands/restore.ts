// `restore`: a backup into an empty state folder.
import { readManifest } from '../backup/manifest.ts';
import { passphraseOf } from '../backup/passphrase.ts';
import { lineOf, sizeOf, timeOf } from '../backup/report.ts';
import { restoreBackup } from '../backup/restore.ts';
import { openPlace, unlock } from '../backup/target.ts';
import type { Settings } from '../settings.ts';
import { withLock } from '../setup/lock.mjs';
import { livingSupervisor, supervisorLock } from './up.ts';

export async function restore(settings: Settings, [from, id]: string[], print: (line: string) => void, signal: AbortSignal): Promise<number> {
  if (from === undefined) {
    print('npm run restore -- FROM [ID]');
    return 2;
  }
  if (livingSupervisor(settings)) throw new Error('The platform is up here. Run npm run down, and restore into an empty folder.');
  const { stateDir, cacheDir, inherited: env } = settings;
  const begun = performance.now();
  const place = await openPlace(from, env);
  try {
    const target = await unlock(place, passphraseOf(env));
    const manifest = await readManifest(target, id);
    const { head, body } = manifest;
    print(lineOf('backup', head.id, `svc ${head.release}`, sizeOf(head.bytes)));
    await withLock(supervisorLock(settings), () => restoreBackup(target, manifest, { stateDir, cacheDir, env, print, signal })).catch((error: unknown) => {
      throw signal.aborted ? new Error('Interrupted: nothing was restored.', { cause: error }) : error;
    });
    print(`Restored into ${stateDir} in ${timeOf(performance.now() - begun)}.`);
    print(afterwards(body.database));
    return 0;
  } finally {
    place.close();
  }
}

function afterwards(database: { own: boolean; user: string; name: string } | null): string {
  if (database === null) return 'The database is not in this backup. Restore it by its own means to the time of this backup, then: npm run up';
  if (database.own) return 'Next: npm run up. Workflows and schedules start again from the rows of the database, within minutes.';
  return `The database was one of yours: start a PostgreSQL on the data in postgres/data, name it in DATABASE_URL (user ${database.user}, database ${database.name}), then: npm run up`;
}

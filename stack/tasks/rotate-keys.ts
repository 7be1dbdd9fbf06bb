// A new key for what is stored: added as the first line of the key file, then every sealed value is sealed
// again under it. Restartable.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { countStale, reencryptAll } from '#core/platform/vault/reencrypt.ts';
import { createPool } from '#db/pool.ts';
import { openKeyFile } from '#drivers/vault/key-file.ts';
import { readText, writeWhole } from '../files.ts';

export interface Rotation {
  /** False: an earlier rotation had not finished, and was finished now. */
  newKey: boolean;
  sealed: number;
  unreadable: number;
}

export async function rotateKeys(options: { databaseUrl: string; secretsDir: string }, print: (line: string) => void): Promise<Rotation> {
  const path = join(options.secretsDir, 'platform.key');
  const db = createPool({ connectionString: options.databaseUrl, max: 2, applicationName: 'svc-rotate-keys' });
  try {
    // One rotation at a time on this installation; the lock goes with the connection.
    return await db.transaction(async (guard) => {
      const { rows } = await guard.raw<{ rows: { mine: boolean }[] }>(`select pg_try_advisory_xact_lock(hashtext('svc.rotate_keys')) as mine`);
      if (rows[0]?.mine !== true) throw new Error('Another rotation is under way: let it finish.');
      const before = await openKeyFile(path);
      const open = await countStale(db, before);
      if (open > 0) print(`${open} values are still sealed by an older key: that rotation is finished first, without another key.`);
      else {
        addKey(path);
        print('A new key seals from now on. The older keys stay in the file: backups open with them, and the last one is the root of derived keys.');
      }
      const total = { newKey: open === 0, sealed: 0, unreadable: 0 };
      const vault = await openKeyFile(path);
      await reencryptAll(db, vault, ({ place, sealed, unreadable }) => {
        total.sealed += sealed;
        total.unreadable += unreadable;
        print(`${place}: ${sealed} sealed again${unreadable > 0 ? `, ${unreadable} cannot be opened and were left as they are` : ''}`);
      });
      return total;
    });
  } finally {
    await db.destroy();
  }
}

/** Whole on the disk before anything is sealed by it. */
function addKey(path: string): void {
  const lines = readText(path)?.trimEnd();
  if (lines === undefined || lines === '') throw new Error(`There is no key file at ${path}.`);
  writeWhole(path, `${randomBytes(32).toString('base64url')}\n${lines}\n`, 0o600);
}

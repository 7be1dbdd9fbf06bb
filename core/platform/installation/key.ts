// Which platform key this database belongs to. A process with another key would encrypt what nobody else can
// read: it refuses to start.
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Vault } from '#drivers/vault/port.ts';
import { ENCRYPTED_COLUMNS, nameOfColumn, valueBindings, valueSql } from '../vault/encrypted-columns.ts';

/** Names the root key and tells nothing of it: 16 hex digits. A rotation keeps it. */
export async function keyFingerprint(vault: Pick<Vault, 'derive'>): Promise<string> {
  return createHash('sha256')
    .update(await vault.derive('fingerprint of the installation'))
    .digest('hex')
    .slice(0, 16);
}

/** The message is a sentence for operators. */
export class WrongKey extends Error {}

const REMEDY = 'Put the key file of this installation (secrets/platform.key of its state folder or of its backup) back, or name the right database.';

/**
 * Called once by every process that opens the database with a key; the first one notes its key. @throws
 * WrongKey
 */
export async function requireOwnKey(db: Knex, vault: Vault): Promise<void> {
  if (await checkOwnKey(db, vault)) return;
  await db('installation')
    .insert({ key_fingerprint: await keyFingerprint(vault) })
    .onConflict('only_one')
    .ignore();
  // Two that come first at once: only one has noted its key.
  await checkOwnKey(db, vault);
}

/**
 * Answers whether the key is noted; before that, one that decrypts what is stored is right. Changes nothing.
 * @throws WrongKey
 */
export async function checkOwnKey(db: Knex, vault: Vault): Promise<boolean> {
  const mine = await keyFingerprint(vault);
  const known = await db('installation').first('key_fingerprint');
  if (known !== undefined) {
    if (known.key_fingerprint === mine) return true;
    throw new WrongKey(`The platform's key is another one (${mine}) than this database was made with (${known.key_fingerprint}). ${REMEDY}`);
  }
  const unreadable = await unreadableValue(db, vault);
  if (unreadable !== undefined) throw new WrongKey(`The platform's key does not decrypt what this database holds (${unreadable}). ${REMEDY}`);
  return false;
}

/** The column of the first stored value that the key does not decrypt; one value of each column is tried. */
export async function unreadableValue(db: Knex, vault: Pick<Vault, 'open'>): Promise<string | undefined> {
  for (const place of ENCRYPTED_COLUMNS) {
    const wanted = [...place.key, ...(place.also ?? [])];
    const { rows } = await db.raw<{ rows: Record<string, unknown>[] }>(
      `select ${wanted.map(() => '??').join(', ')}, ${valueSql(place)} as value from ?? where ${valueSql(place)} is not null limit 1`,
      [...wanted, ...valueBindings(place), place.table, ...valueBindings(place)],
    );
    for (const row of rows) {
      const opened = await vault.open(String(row['value']), place.context(row)).catch(() => undefined);
      if (opened === undefined) return nameOfColumn(place);
    }
  }
  return undefined;
}

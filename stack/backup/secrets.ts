// The installation's own keys in a backup: a file of their own, encrypted by a key that only the passphrase
// gives. Who has the key of the contents does not have them.
import { mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { create } from 'tar';
import { restoreFolder } from './folder.ts';
import { secretsKey } from './manifest.ts';
import { decryptBytes, encryptBytes } from './encrypt.ts';
import { openInstallationKey } from './source.ts';
import { getBytes, putBytes, type Target } from './target.ts';
import type { Manifest } from './manifest.ts';
import type { Vault } from '#drivers/vault/port.ts';

const contextOf = (id: string): string => `svc/backup keys of ${id}`;

export async function writeSecrets({ storage, passphrase }: Target, id: string, secretsDir: string): Promise<void> {
  const archive = create({ cwd: secretsDir, portable: true }, ['.']);
  await putBytes(storage, secretsKey(id), encryptBytes(passphrase.secrets, await buffer(archive as AsyncIterable<Buffer>), contextOf(id)));
}

/** Into a new folder. @throws Error: missing, changed, or of another installation than the rest */
export async function restoreSecrets({ storage, passphrase }: Target, { head, body }: Manifest, folder: string): Promise<Vault> {
  const key = secretsKey(head.id);
  const encrypted = await getBytes(storage, key);
  if (encrypted === undefined) throw new Error(`${key} is missing: it holds the keys of this backup. Put it back, or take another backup.`);
  const archive = decryptBytes(passphrase.secrets, encrypted, contextOf(head.id));
  if (archive === undefined) throw new Error(`${key} was changed, or is of another backup. Put the right file back, or take another backup.`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await restoreFolder(Readable.from([archive]), folder);
  const { vault, installation } = await openInstallationKey(folder);
  if (installation !== body.installation) throw new Error(`${key} holds the key of another installation: what is encrypted in this backup would stay closed.`);
  return vault;
}

// Where backups lie: a folder, or a bucket of S3. Its first file says whose backups they are, and holds the
// key of their contents, which only the passphrase opens.
import { createHmac, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { diskStorage } from '#drivers/storage/disk.ts';
import { s3Configuration, storageVariables } from '#drivers/storage/environment.ts';
import type { ListedStorage } from '#drivers/storage/port.ts';
import { saysDiskFull } from '#drivers/room.ts';
import { Derivation, derive, newDerivation, type PassphraseKeys } from './passphrase.ts';
import { decryptBytes, encryptBytes } from './encrypt.ts';
import { errorCode } from '../files.ts';
import { messageOf } from './report.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A target without keys: what is in it can be listed. */
export interface Place {
  /** As the operator named it. */
  name: string;
  storage: ListedStorage;
  close(): void;
}

export interface Target extends Place {
  /** Of the contents. */
  key: Buffer;
  /** Of the names of contents. */
  nameKey: Buffer;
  passphrase: PassphraseKeys;
  /** Fingerprint of the installation's key. */
  installation: string;
}

const HEADER = 'svc-backups.json';
const CONTEXT = 'svc backups, key of the contents';
const Header = z.object({ format: z.literal(1), installation: z.string(), derivation: Derivation, key: z.base64() });

/** `make`: a folder that does not exist is made. @throws Error that says what is wrong with the name */
export async function openPlace(name: string, env: Env, make = false): Promise<Place> {
  if (!name.startsWith('s3://')) {
    const root = resolve(name);
    if (make) await mkdir(root, { recursive: true, mode: 0o700 });
    else if (!(await stat(root).catch(() => undefined))?.isDirectory())
      throw new Error(`There is no folder ${root}. Name the folder or s3://bucket/prefix that holds the backups.`);
    return { name: root, storage: diskStorage({ root }), close: () => undefined };
  }
  const parsed = z.object(storageVariables).safeParse({ ...env, STORAGE_URL: name });
  if (!parsed.success) throw new Error(`${name}: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`);
  const { s3Storage } = await import('#drivers/storage/s3.ts');
  const configuration = s3Configuration(parsed.data);
  if (configuration === undefined) throw new Error(`${name} names no bucket: use s3://bucket/prefix.`);
  const scratchDir = await mkdtemp(join(tmpdir(), 'svc-backup-'));
  const storage = s3Storage({ ...configuration, scratchDir });
  const close = (): void => {
    storage.close();
    rmSync(scratchDir, { recursive: true, force: true });
  };
  return { name, storage, close };
}

/** For reading. @throws Error: no backups there, or another passphrase */
export async function unlock(place: Place, passphrase: string): Promise<Target> {
  const header = await readHeader(place);
  if (header === undefined) throw new Error(`${place.name} holds no backups of svc. Look where they were written to: npm run backup -- list FROM`);
  const keys = await derive(passphrase, header.derivation);
  const key = decryptBytes(keys.wrap, Buffer.from(header.key, 'base64'), CONTEXT);
  if (key === undefined)
    throw new Error(`SVC_BACKUP_PASSPHRASE is not the passphrase of the backups in ${place.name}. Set the one that was set when the first of them was made.`);
  return { ...place, key, nameKey: namesOf(key), passphrase: keys, installation: header.installation };
}

/** For writing: an empty place becomes a target of this installation. */
export async function unlockFor(place: Place, passphrase: string, installation: string): Promise<Target> {
  if ((await readHeader(place)) === undefined) await begin(place, passphrase, installation);
  const target = await unlock(place, passphrase);
  if (target.installation !== installation)
    throw new Error(`${place.name} holds backups of another installation, with another platform.key. Name a folder or prefix of its own for this one.`);
  return target;
}

async function begin({ storage, name }: Place, passphrase: string, installation: string): Promise<void> {
  for await (const _ of storage.list('backups'))
    throw new Error(`${name} holds backups, but their ${HEADER} is missing: put it back, or name an empty folder or prefix.`);
  const key = randomBytes(32);
  const derivation = newDerivation();
  const { wrap } = await derive(passphrase, derivation);
  const header: z.infer<typeof Header> = { format: 1, installation, derivation, key: encryptBytes(wrap, key, CONTEXT).toString('base64') };
  await putBytes(storage, HEADER, Buffer.from(`${JSON.stringify(header, null, 2)}\n`));
}

async function readHeader({ storage, name }: Place): Promise<z.infer<typeof Header> | undefined> {
  const bytes = await getBytes(storage, HEADER).catch((error: unknown) => {
    throw new Error(`${name} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  if (bytes === undefined) return undefined;
  const parsed = z.string().transform((text) => JSON.parse(text) as unknown).pipe(Header).safeParse(bytes.toString('utf8')); // prettier-ignore
  if (!parsed.success) throw new Error(`${HEADER} in ${name} is damaged, or of a newer version of svc.`);
  return parsed.data;
}

const namesOf = (key: Buffer): Buffer => createHmac('sha256', key).update('svc backups, names of contents').digest();

export async function putBytes(storage: ListedStorage, key: string, bytes: Buffer): Promise<void> {
  await storage.put(key, Readable.from([bytes])).catch((error: unknown) => {
    throw saysDiskFull(error)
      ? new Error('The disk of the backups is full. Free some space, or keep fewer of them (--keep N), and run it again.', { cause: error })
      : error;
  });
}

/** Undefined: there is none. */
export async function getBytes(storage: ListedStorage, key: string): Promise<Buffer | undefined> {
  try {
    return await buffer(await storage.get(key));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

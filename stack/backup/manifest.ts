// The manifest of a backup: written last, so that a backup is there as a whole or not at all. Its head can be
// read by anyone; the body is encrypted, and binds the head.
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { StoredStream } from './contents.ts';
import { decryptBytes, encryptBytes } from './encrypt.ts';
import { getBytes, type Place, putBytes, type Target } from './target.ts';

export const Head = z.object({
  format: z.literal(1),
  id: z.string(),
  /** The version of svc that made it. */
  release: z.string(),
  made_at: z.iso.datetime(),
  took_ms: z.int(),
  /** Of everything in it, as it is outside of the backup. */
  bytes: z.int(),
  /** What this backup added to the target. */
  sent_bytes: z.int(),
  /** Major version; null: the database is backed up by other means. */
  postgres: z.int().nullable(),
});
export type Head = z.infer<typeof Head>;

const Named = StoredStream.extend({
  name: z.string(),
  /** What it was read from: what has the same is not read again. */
  stamp: z.string(),
});
export type NamedContent = z.infer<typeof Named>;

const Memory = Named.extend({
  /** Paths of the images that it runs from. */
  images: z.array(z.string()),
});
export type MachineMemory = z.infer<typeof Memory>;

export const Body = z.object({
  database: z
    .object({
      content: StoredStream,
      start_lsn: z.string(),
      /** The one position of everything in it. */
      stop_lsn: z.string(),
      user: z.string(),
      name: z.string(),
      /** Whether it is the server that svc started; else one of the operator's. */
      own: z.boolean(),
    })
    .nullable(),
  /** The last one that the database has. */
  migration: z.string(),
  migrations: z.array(z.string()),
  /** Fingerprint of platform.key. */
  installation: z.string(),
  state_dir: z.string(),
  cache_dir: z.string(),
  machine: z.object({ cpu: z.string(), qemu: z.string() }),
  objects: z.array(Named),
  repositories: z.array(Named),
  memory: z.array(Memory),
  images: z.array(Named),
  boxes: z.array(Named),
  /** Keys of objects that went while the backup ran. */
  gone: z.array(z.string()),
  /** Sentences on what is not in it. */
  notes: z.array(z.string()),
});
export type Body = z.infer<typeof Body>;

export interface Manifest {
  head: Head;
  body: Body;
}

const File = z.object({ head: Head, body: z.base64() });
const compress = promisify<Buffer, Buffer>(zstdCompress);
const decompress = promisify<Buffer, Buffer>(zstdDecompress);

export const manifestKey = (id: string): string => `backups/${id}/manifest.json`;
export const secretsKey = (id: string): string => `backups/${id}/keys`;
const contextOf = (head: Head): string => `svc/backup ${JSON.stringify(head)}`;

export async function writeManifest(target: Target, { head, body }: Manifest): Promise<void> {
  const encrypted = encryptBytes(target.key, await compress(Buffer.from(JSON.stringify(body))), contextOf(head));
  await putBytes(target.storage, manifestKey(head.id), Buffer.from(`${JSON.stringify({ head, body: encrypted.toString('base64') })}\n`));
}

/** @param id absent: the newest */
export async function readManifest(target: Target, id?: string): Promise<Manifest> {
  const wanted = id ?? (await listBackups(target)).at(-1)?.id;
  if (wanted === undefined) throw new Error(`${target.name} holds no finished backup. Make one: npm run backup -- --to ${target.name}`);
  const file = await readFile(target, wanted);
  if (file === undefined) throw new Error(`There is no backup ${wanted} in ${target.name}. npm run backup -- list ${target.name} names them.`);
  const packed = decryptBytes(target.key, Buffer.from(file.body, 'base64'), contextOf(file.head));
  if (packed === undefined) throw new Error(`The manifest of ${wanted} was changed, so nothing of it is used. Take another backup of ${target.name}.`);
  return { head: file.head, body: Body.parse(JSON.parse((await decompress(packed)).toString('utf8'))) };
}

/** Those that are finished, the oldest first. */
export async function listBackups(place: Place): Promise<Head[]> {
  const heads: Head[] = [];
  for await (const key of place.storage.list('backups')) {
    const id = /^backups\/([^/]+)\/manifest\.json$/.exec(key)?.[1];
    const file = id === undefined ? undefined : await readFile(place, id);
    if (file?.head.id === id && file) heads.push(file.head);
  }
  return heads.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function readFile({ storage }: Place, id: string): Promise<z.infer<typeof File> | undefined> {
  if (!/^[a-z0-9-]+$/.test(id)) return undefined;
  const bytes = await getBytes(storage, manifestKey(id));
  if (bytes === undefined) return undefined;
  try {
    return File.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw new Error(`The manifest of ${id} cannot be read: it is damaged, or of a newer version of svc.`, { cause: error });
  }
}

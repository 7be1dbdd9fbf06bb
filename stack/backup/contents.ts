// Contents of backups: streams in chunks, each compressed, encrypted and stored under a name that follows
// from what it holds, so that what is there already is not sent again.
import { createHash, createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { decryptBytes, encryptBytes } from './encrypt.ts';
import { getBytes, putBytes, type Target } from './target.ts';

/** A stream as it lies in the target. */
export const StoredStream = z.object({ bytes: z.int(), sha256: z.string(), chunks: z.array(z.string()) });
export type StoredStream = z.infer<typeof StoredStream>;

const CHUNK_BYTES = 8 * 2 ** 20;
/** Of one stream, on their way at once. */
const IN_FLIGHT = 3;
const compress = promisify<Buffer, { params: Record<number, number> }, Buffer>(zstdCompress);
const decompress = promisify<Buffer, { maxOutputLength: number }, Buffer>(zstdDecompress);

/** What a read finds wrong with a backup. */
export class ContentDamaged extends Error {}

export interface ContentWriter {
  write(stream: AsyncIterable<Uint8Array>): Promise<StoredStream>;
  /** Whether all of it is there already. */
  has(stream: StoredStream): boolean;
  /** Bytes that were sent, as they lie in the target. */
  readonly sent: number;
}

export const chunkKey = (name: string): string => `content/${name.slice(0, 2)}/${name}`;

export async function contentNames({ storage }: Pick<Target, 'storage'>): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const key of storage.list('content')) names.add(key.slice(key.lastIndexOf('/') + 1));
  return names;
}

export async function contentWriter(target: Target, signal: AbortSignal): Promise<ContentWriter> {
  const there = await contentNames(target);
  let sent = 0;
  async function store(plain: Buffer): Promise<string> {
    const name = nameOf(target, plain);
    if (there.has(name)) return name;
    const encrypted = encryptBytes(target.key, await compress(plain, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }), name);
    await putBytes(target.storage, chunkKey(name), encrypted);
    there.add(name);
    sent += encrypted.length;
    return name;
  }
  return {
    async write(stream) {
      const hash = createHash('sha256');
      const chunks: Promise<string>[] = [];
      let bytes = 0;
      for await (const chunk of chunked(stream)) {
        signal.throwIfAborted();
        hash.update(chunk);
        bytes += chunk.length;
        const stored = store(chunk);
        stored.catch(() => undefined); // awaited below
        chunks.push(stored);
        await chunks[chunks.length - 1 - IN_FLIGHT];
      }
      return { bytes, sha256: hash.digest('hex'), chunks: await Promise.all(chunks) };
    },
    has: ({ chunks }) => chunks.every((name) => there.has(name)),
    get sent() {
      return sent;
    },
  };
}

/** Checked against its hash at the end. @throws ContentDamaged */
export async function* readContent(target: Target, { bytes, sha256, chunks }: StoredStream): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let seen = 0;
  for (const name of chunks) {
    const chunk = await readChunk(target, name);
    hash.update(chunk);
    seen += chunk.length;
    yield chunk;
  }
  if (seen !== bytes || hash.digest('hex') !== sha256) throw new ContentDamaged('it is not what was backed up');
}

async function readChunk(target: Target, name: string): Promise<Buffer> {
  const encrypted = await getBytes(target.storage, chunkKey(name));
  if (encrypted === undefined) throw new ContentDamaged(`${chunkKey(name)} is missing`);
  const packed = decryptBytes(target.key, encrypted, name);
  const plain = packed && (await decompress(packed, { maxOutputLength: CHUNK_BYTES }).catch(() => undefined));
  if (plain === undefined || nameOf(target, plain) !== name) throw new ContentDamaged(`${chunkKey(name)} was changed`);
  return plain;
}

const nameOf = ({ nameKey }: Target, plain: Buffer): string => createHmac('sha256', nameKey).update(createHash('sha256').update(plain).digest()).digest('hex');

async function* chunked(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    length += piece.length;
    while (length >= CHUNK_BYTES) {
      const all = Buffer.concat(pieces, length);
      yield all.subarray(0, CHUNK_BYTES);
      pieces = [all.subarray(CHUNK_BYTES)];
      length -= CHUNK_BYTES;
    }
  }
  if (length > 0) yield Buffer.concat(pieces, length);
}

// An uploaded project becomes a folder: streamed, hashed, bounded, and refused as a whole when any part of it
// is not plainly a project.
import { createHash, type Hash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ByteReader } from './byte-reader.ts';
import { FileWriter } from './file-writer.ts';
import { defaultSourceLimits, type SourceLimits } from './limits.ts';
import { PathRegister, safePath } from './paths.ts';
import { refuse, sourceTooLarge } from './refusals.ts';
import { tarEntries, type TarEntry } from './tar-entries.ts';

export interface Unpacked {
  files: number;
  /** Of all files together. */
  bytes: number;
  /** Of the upload as it arrived, compressed. */
  compressedBytes: number;
  /** SHA-256 of the upload as it arrived, hexadecimal. */
  sha256: string;
  hasLockfile: boolean;
}

const lockfiles: readonly string[] = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'bun.lock',
  'bun.lockb',
  'pnpm-lock.yaml',
  'yarn.lock',
  'uv.lock',
  'requirements.txt',
];
const ratioMattersFrom = 8 * 1024 * 1024;

/**
 * Unpacks a gzipped tar into `folder`, which is made and must not hold anything yet. On any refusal or error
 * nothing of it is left.
 * @throws BadRequest source_… and PayloadTooLarge source_too_large; whatever `input` fails with.
 */
export async function unpackSource(input: Readable, folder: string, limits: SourceLimits = defaultSourceLimits): Promise<Unpacked> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty`);
  const arrived = { bytes: 0, hash: createHash('sha256') };
  const written = { files: 0, bytes: 0, hasLockfile: false };
  const writer = new FileWriter(folder);
  try {
    const gunzip = createGunzip({ rejectGarbageAfterEnd: true });
    await pipeline(input, counted(arrived, limits), gunzip, async (plain: AsyncIterable<Buffer>) => {
      const register = new PathRegister(limits);
      let seen = 0;
      for await (const entry of tarEntries(new ByteReader(bounded(plain, arrived, limits)))) {
        // Repeated folders are in no register; they have a bound too.
        if ((seen += 1) > 2 * limits.entries) throw refuse('source_too_many_files', undefined, { limit: limits.entries });
        await unpackEntry(entry, writer, register, written, limits);
      }
      await writer.finish();
    });
    if (written.files === 0) throw refuse('source_empty');
    return { ...written, compressedBytes: arrived.bytes, sha256: arrived.hash.digest('hex') };
  } catch (error) {
    await writer.settle();
    await rm(folder, { recursive: true, force: true });
    throw asRefusal(error, arrived.bytes);
  }
}

async function unpackEntry(
  entry: TarEntry,
  writer: FileWriter,
  register: PathRegister,
  written: { files: number; bytes: number; hasLockfile: boolean },
  limits: SourceLimits,
): Promise<void> {
  const path = safePath(entry.path, limits);
  if (entry.kind === 'folder') {
    if (register.addFolder(path)) await writer.folder(path);
    return;
  }
  if (path === '') throw refuse('source_bad_path', entry.path);
  register.addFile(path);
  if (written.bytes + entry.size > limits.unpackedBytes) throw refuse('source_too_large_unpacked', undefined, { limit_bytes: limits.unpackedBytes });
  written.files += 1;
  written.bytes += entry.size;
  written.hasLockfile ||= lockfiles.includes(path);
  await writer.file(path, entry);
}

function counted(arrived: { bytes: number; hash: Hash }, limits: SourceLimits) {
  return async function* (upload: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of upload) {
      arrived.bytes += piece.length;
      if (arrived.bytes > limits.compressedBytes) throw sourceTooLarge(limits);
      arrived.hash.update(piece);
      yield piece;
    }
  };
}

/**
 * Bounds what decompression may produce, headers and padding included, so that a bomb costs no more than a
 * real project.
 */
async function* bounded(plain: AsyncIterable<Buffer>, arrived: { bytes: number }, limits: SourceLimits): AsyncGenerator<Buffer> {
  const ceiling = limits.unpackedBytes + (limits.entries + 1) * 4096 + 1024 * 1024;
  let bytes = 0;
  for await (const piece of plain) {
    bytes += piece.length;
    if (bytes > ceiling) throw refuse('source_too_large_unpacked', undefined, { limit_bytes: limits.unpackedBytes });
    if (bytes > ratioMattersFrom && bytes > arrived.bytes * limits.ratio) throw refuse('source_bomb');
    yield piece;
  }
}

/** What the decompressor says, in the words of a refusal; everything else as it is. */
function asRefusal(error: unknown, arrivedBytes: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END') return refuse('source_trailing_data');
  if (code === 'Z_BUF_ERROR') return refuse(arrivedBytes === 0 ? 'source_empty' : 'source_truncated');
  if (code === 'Z_DATA_ERROR') return refuse(error instanceof Error && /header|compression method/.test(error.message) ? 'source_not_gzip' : 'source_corrupt');
  return error;
}

// The entries of an uploaded tar, one after the other. Header blocks are decoded by the `tar` package; the
// walk is ours, because it must refuse what an extractor would skip or guess: every byte of the archive is
// accounted for.
import { Header } from 'tar';
import type { ByteReader } from './byte-reader.ts';
import { parsePax, type Pax } from './pax.ts';
import { refuse } from './refusals.ts';

const BLOCK = 512;
const MAX_META_BYTES = 1024 * 1024;

export interface TarEntry {
  /** As the archive says it. */
  path: string;
  kind: 'file' | 'folder';
  size: number;
  executable: boolean;
  /** Read it to its end before asking for the next entry. */
  body: AsyncIterable<Buffer>;
}

/** @throws BadRequest */
export async function* tarEntries(reader: ByteReader): AsyncGenerator<TarEntry> {
  let pax: Pax = {};
  let longPath: string | undefined;
  for (;;) {
    const block = await reader.read(BLOCK);
    if (block.length < BLOCK) throw refuse('source_truncated');
    if (block.every((byte) => byte === 0)) return expectOnlyZeros(reader);
    const header = decoded(block, pax.path ?? longPath);
    switch (header.type) {
      case 'ExtendedHeader':
      case 'OldExtendedHeader':
        pax = { ...pax, ...parsePax(await meta(reader, header), false) };
        continue;
      case 'GlobalExtendedHeader':
        parsePax(await meta(reader, header), true);
        continue;
      case 'NextFileHasLongPath':
      case 'OldGnuLongPath':
        longPath = cText(await meta(reader, header));
        continue;
      case 'NextFileHasLongLinkpath':
        await meta(reader, header); // the link that follows is refused
        continue;
      default:
    }
    const path = pax.path ?? longPath ?? header.path ?? '';
    yield await plainEntry(reader, header, path, pax.size);
    pax = {};
    longPath = undefined;
  }
}

/**
 * @param path said before it: the name in a block is cut after 100 bytes, and what is left may look like that
 * of a folder
 */
function decoded(block: Buffer, path: string | undefined): Header {
  try {
    const header = new Header(block, 0, path === undefined ? undefined : { path });
    if (header.cksumValid) return header;
  } catch {
    // a number that no file has
  }
  throw refuse('source_corrupt');
}

async function plainEntry(reader: ByteReader, header: Header, path: string, paxSize: number | undefined): Promise<TarEntry> {
  const executable = ((header.mode ?? 0) & 0o111) !== 0;
  switch (header.type) {
    case 'File':
    case 'OldFile':
    case 'ContiguousFile': {
      const size = sizeOf(header, paxSize);
      // Archives older than POSIX mark folders so.
      if (path.endsWith('/') && size === 0) return { path, kind: 'folder', size, executable, body: none() };
      if (path.endsWith('/')) throw refuse('source_bad_path', path);
      return { path, kind: 'file', size, executable, body: body(reader, size) };
    }
    case 'Directory':
      if ((paxSize ?? 0) !== 0) throw refuse('source_corrupt');
      return { path, kind: 'folder', size: 0, executable, body: none() };
    case 'Link':
    case 'SymbolicLink':
      throw refuse('source_link', path);
    case 'CharacterDevice':
    case 'BlockDevice':
    case 'FIFO':
      throw refuse('source_special_file', path);
    default:
      throw refuse('source_unsupported_entry', path);
  }
}

function sizeOf(header: Header, paxSize?: number): number {
  const size = paxSize ?? header.size;
  if (size === undefined || !Number.isSafeInteger(size) || size < 0) throw refuse('source_corrupt');
  return size;
}

async function* body(reader: ByteReader, size: number): AsyncGenerator<Buffer> {
  let seen = 0;
  for await (const piece of reader.stream(size)) {
    seen += piece.length;
    yield piece;
  }
  await padding(reader, size);
  if (seen < size) throw refuse('source_truncated');
}

async function meta(reader: ByteReader, header: Header): Promise<Buffer> {
  const size = sizeOf(header);
  if (size > MAX_META_BYTES) throw refuse('source_unsupported_entry');
  const bytes = await reader.read(size);
  await padding(reader, size);
  if (bytes.length < size) throw refuse('source_truncated');
  return bytes;
}

async function padding(reader: ByteReader, size: number): Promise<void> {
  const length = (BLOCK - (size % BLOCK)) % BLOCK;
  if ((await reader.read(length)).length < length) throw refuse('source_truncated');
}

/** After the end mark, writers fill the last record with zeros and nothing else. */
async function expectOnlyZeros(reader: ByteReader): Promise<void> {
  for await (const piece of reader.stream(Number.MAX_SAFE_INTEGER)) {
    if (piece.some((byte) => byte !== 0)) throw refuse('source_trailing_data');
  }
}

function cText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

async function* none(): AsyncGenerator<Buffer> {}

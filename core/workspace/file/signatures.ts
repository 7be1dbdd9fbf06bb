// What contents without a telling name begin with. A table of our own: the package file-type opens archives
// and media to say more, and these bytes are a stranger's; it also would call a .docx one thing by its name
// and another by its head.
import type { FileType } from '#contract/wire/card.ts';
import type { NamedType } from '#contract/wire/file-types.ts';

const SIGNATURES: readonly (readonly [at: number, bytes: string, mime: string, kind: FileType])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'image/png', 'image'],
  [0, '\xff\xd8\xff', 'image/jpeg', 'image'],
  [0, 'GIF8', 'image/gif', 'image'],
  [8, 'WEBP', 'image/webp', 'image'],
  [4, 'ftypavif', 'image/avif', 'image'],
  [4, 'ftypheic', 'image/heic', 'image'],
  [0, '%PDF-', 'application/pdf', 'document'],
  [0, 'PK\x03\x04', 'application/zip', 'archive'],
  [0, '\x1f\x8b\x08', 'application/gzip', 'archive'],
  [0, 'BZh', 'application/x-bzip2', 'archive'],
  [0, '\xfd7zXZ\0', 'application/x-xz', 'archive'],
  [0, '\x28\xb5\x2f\xfd', 'application/zstd', 'archive'],
  [0, '7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed', 'archive'],
  [257, 'ustar', 'application/x-tar', 'archive'],
  [0, 'ID3', 'audio/mpeg', 'audio'],
  [8, 'WAVE', 'audio/wav', 'audio'],
  [0, 'fLaC', 'audio/flac', 'audio'],
  [0, 'OggS', 'audio/ogg', 'audio'],
  [4, 'ftypM4A', 'audio/mp4', 'audio'],
  [4, 'ftypqt', 'video/quicktime', 'video'],
  [4, 'ftyp', 'video/mp4', 'video'],
  [0, '\x1a\x45\xdf\xa3', 'video/webm', 'video'],
  [0, 'SQLite format 3\0', 'application/vnd.sqlite3', 'data'],
  [0, 'PAR1', 'application/vnd.apache.parquet', 'data'],
  [0, '\0asm', 'application/wasm', 'other'],
  [0, '\x7fELF', 'application/octet-stream', 'other'],
];

export function signatureOf(head: Buffer): NamedType | undefined {
  const signature = SIGNATURES.find(([at, bytes]) => head.subarray(at, at + bytes.length).equals(Buffer.from(bytes, 'latin1')));
  return signature && { mime: signature[2], kind: signature[3] };
}

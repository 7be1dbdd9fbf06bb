import { MAX_SOURCE_BYTES, MAX_SOURCE_ENTRIES, MAX_UNPACKED_SOURCE_BYTES } from '#contract/wire/limits.ts';

/** Ceilings of an uploaded project. */
export interface SourceLimits {
  /** Of the upload as it arrives, compressed; bytes. */
  compressedBytes: number;
  /** Of all files together; bytes. */
  unpackedBytes: number;
  /** Files and folders together. */
  entries: number;
  /** Unpacked bytes per compressed byte, looked at from 8 MiB on. */
  ratio: number;
  /** Folders above a file. */
  depth: number;
}

export const defaultSourceLimits: SourceLimits = {
  compressedBytes: MAX_SOURCE_BYTES,
  unpackedBytes: MAX_UNPACKED_SOURCE_BYTES,
  entries: MAX_SOURCE_ENTRIES,
  ratio: 200,
  depth: 32,
};

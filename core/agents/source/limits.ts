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

const MIB = 1024 * 1024;

export const defaultSourceLimits: SourceLimits = { compressedBytes: 50 * MIB, unpackedBytes: 100 * MIB, entries: 10_000, ratio: 200, depth: 32 };

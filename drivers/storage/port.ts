// Object storage: whole objects under keys. Default driver: files on disk, written to a temporary name and renamed; production: S3.
import type { Readable } from 'node:stream';

/** Bytes `start` to `end`, both included, counted from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface Stored {
  size_bytes: number;
  /** Hex. */
  sha256: string;
}

export interface BlobStorage {
  /** Streams into place atomically; resolves with length and SHA-256 (hex). Keys: `[a-z0-9._/-]+`, no `..`. */
  put(key: string, body: Readable): Promise<Stored>;
  /** Takes a whole file of the scratch folder into place, atomically; `stored` is what is in it. The file is the driver's from then on, also when it fails. */
  adopt(key: string, file: string, stored: Stored): Promise<void>;
  /** Whole, or a range that lies within the object. Rejects with code `ENOENT` when absent. */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Bytes; undefined when absent. */
  size(key: string): Promise<number | undefined>;
  exists(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Path of a local scratch folder, for uploads in flight. What lies there for a day is cleared away. */
  scratch(): Promise<string>;
}

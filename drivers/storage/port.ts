// Object storage: whole objects under keys. Default driver: files on disk, written to a temporary name and
// renamed; production: S3.
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

/** An object that lies with the driver, under no key yet. */
export interface StagedBlob extends Stored {
  /** Puts it under its key, atomically; once. When that fails it is dropped. */
  keep(key: string): Promise<void>;
  /** Does nothing once it was kept. */
  drop(): Promise<void>;
}

export interface BlobStorage {
  /**
   * Streams into place atomically; resolves with length and SHA-256 (hex). Keys: `[a-z0-9._/-]+`, no `..`.
   */
  put(key: string, body: Readable): Promise<Stored>;
  /**
   * Takes in what has its key only when it is whole, such as its hash; the caller keeps or drops it. What
   * breaks off leaves nothing, and the stream is not destroyed; what a killed process left is gone after a
   * day.
   */
  stage(body: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  /** Whole, or a range that lies within the object. Rejects with code `ENOENT` when absent. */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Bytes; undefined when absent. */
  size(key: string): Promise<number | undefined>;
  exists(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
}

/** A storage whose objects can be named: for what is looked through as a whole, such as backups. */
export interface ListedStorage extends BlobStorage {
  /** Keys that begin with `folder/`, in no order; what is written meanwhile may be among them. */
  list(folder: string): AsyncIterable<string>;
}

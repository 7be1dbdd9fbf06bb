// Object storage: whole objects under keys. Default driver: files on disk, written to a temporary name and renamed.
import type { Readable } from 'node:stream';

export interface BlobStorage {
  /** Streams into place atomically; resolves with length and SHA-256 (hex). Keys: `[a-z0-9._/-]+`, no `..`. */
  put(key: string, body: Readable): Promise<{ size_bytes: number; sha256: string }>;
  /** Rejects with code `ENOENT` when absent. */
  get(key: string): Promise<Readable>;
  exists(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Path of a scratch folder on the same volume, for uploads in flight. */
  scratch(): Promise<string>;
}

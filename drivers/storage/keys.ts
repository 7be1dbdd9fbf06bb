// The one rule for object keys, whatever driver keeps them.

const MAX_KEY_BYTES = 512;
const MAX_SEGMENT_BYTES = 200;

class StorageKeyInvalid extends Error {
  readonly code = 'storage_key_invalid';
  constructor(key: string) {
    super(`storage key ${JSON.stringify(key.slice(0, 80))} is not valid: use [a-z0-9._/-], no empty, "." or ".." segments`);
    this.name = 'StorageKeyInvalid';
  }
}

/** The key's segments. @throws StorageKeyInvalid */
export function keySegments(key: string): string[] {
  const segments = key.split('/');
  const sound = key.length <= MAX_KEY_BYTES && segments.every((s) => /^[a-z0-9._-]+$/.test(s) && s !== '.' && s !== '..' && s.length <= MAX_SEGMENT_BYTES);
  if (!sound) throw new StorageKeyInvalid(key);
  return segments;
}

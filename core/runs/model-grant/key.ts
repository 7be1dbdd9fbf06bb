// The key of a model grant: 32 random bytes, kept as SHA-256 only.
import { createHash, randomBytes } from 'node:crypto';
import { MODEL_KEY_PREFIX } from '#contract/wire/model-use.ts';

export function newModelKey(): string {
  return `${MODEL_KEY_PREFIX}${randomBytes(32).toString('base64url')}`;
}

export function hashModelKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

// Secrets the platform hands out: 32 random bytes, kept as SHA-256 only. They need no salt: 256 bits cannot
// be guessed.
import { createHash, randomBytes } from 'node:crypto';

/** 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

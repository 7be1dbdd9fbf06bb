// Secrets the platform hands out: 32 random bytes, kept as SHA-256 only. They need no salt: nobody guesses 256 bits.
import { createHash, randomBytes } from 'node:crypto';

export const PLATFORM_TOKEN_PREFIX = 'svc_';

/** 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function newPlatformToken(): string {
  return `${PLATFORM_TOKEN_PREFIX}${newSecret()}`;
}

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

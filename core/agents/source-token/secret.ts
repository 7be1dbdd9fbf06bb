// The secret of a source token: 32 random bytes, kept as SHA-256 only.
import { createHash, randomBytes } from 'node:crypto';

/** Told apart from the platform's other tokens, which open an account. */
export const SOURCE_TOKEN_PREFIX = 'svc_git_';

export function newSourceToken(): string {
  return `${SOURCE_TOKEN_PREFIX}${randomBytes(32).toString('base64url')}`;
}

export function hashSourceToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** For the audit log: enough to find a leaked token's row, too little to guess it. */
export function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}

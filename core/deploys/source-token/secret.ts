import { createHash } from 'node:crypto';
import { newSecret } from '../../kernel/secret.ts';

/** Distinguishes it from the platform's other tokens, which open an account. */
export const SOURCE_TOKEN_PREFIX = 'svc_git_';

export function newSourceToken(): string {
  return `${SOURCE_TOKEN_PREFIX}${newSecret()}`;
}

/** For the audit log: enough to find a leaked token's row, too little to guess it. */
export function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}

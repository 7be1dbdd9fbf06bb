// How a receipt names arguments and results.
import { createHash } from 'node:crypto';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';

export function sha256(value: string | Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}

/** Hash of a value's canonical JSON; undefined when it has none (lone surrogates, endless nesting). */
export function hashOf(value: unknown): string | undefined {
  try {
    return canonicalSha256(value);
  } catch {
    return undefined;
  }
}

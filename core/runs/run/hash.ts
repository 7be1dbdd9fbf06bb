// How a receipt names arguments and results.
import { createHash } from 'node:crypto';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { wellFormed } from '../../kernel/storable.ts';

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

/** The same of a call's arguments. @throws BadRequest args_not_canonical */
export function hashOfArgs(args: unknown): string {
  const sha256 = hashOf(args);
  if (sha256 !== undefined) return sha256;
  throw new BadRequest('args_not_canonical', 'The arguments are nested too deeply to be hashed for the receipt: send them flatter');
}

/**
 * The same of the value with U+FFFD for each lone surrogate, as a reader of its text shows it; undefined: too
 * deep.
 */
export function hashOfReadable(value: unknown): string | undefined {
  try {
    return canonicalSha256(wellFormed(value));
  } catch {
    return undefined;
  }
}

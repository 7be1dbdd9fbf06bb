import { parseKeepingDigits } from '#contract/wire/exact-json.ts';
import { type Body, isObject } from './wire.ts';

/** Undefined for what is no JSON object: comments, [DONE]. */
export function objectIn(text: string): Body | undefined {
  try {
    // It may be written anew: schemas have bounds of 64 bits.
    const value: unknown = parseKeepingDigits(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

import { ERRORS } from '#contract/errors/index.ts';
import type { ErrorEntry } from '#contract/errors/kit.ts';

const all: Record<string, ErrorEntry | undefined> = ERRORS;

/** What to do about an error code of the API. */
export function remedyOf(code: string): string | undefined {
  return all[code]?.remedy;
}

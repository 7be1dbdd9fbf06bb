// What a schema refuses: so that a new group's routes can be called without a line about them.
import { z } from 'zod';

const JUNK: unknown[] = ['text', [], 7, true, null, { '\u0000': 1 }];

/** Values the schema refuses. */
export function junk(schema: z.core.$ZodType): unknown[] {
  return JUNK.filter((value) => !z.core.safeParse(schema, value).success);
}

const JUNK_TEXTS = ['!!', ' ', 'x'.repeat(5_000), '-1', '\u{1F600}'];

/** Text that is refused where this schema is a path or query parameter. */
export function junkText(schema: z.core.$ZodType): string[] {
  // A number is written as text there.
  return JUNK_TEXTS.filter((text) => [text, [text], text === '-1' ? -1 : text].every((value) => !z.core.safeParse(schema, value).success));
}

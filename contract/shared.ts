// Schemas that several groups share.
import { z } from 'zod';
import { toBase64Url } from './wire/base64url.ts';
import { MAX_IDEMPOTENCY_KEY } from './wire/limits.ts';
import { AgentSlug } from './wire/names.ts';

/** What an `integer` column of PostgreSQL holds. */
export const MAX_INT32 = 2_147_483_647;

/** Numbers of events, from 1; 0: before the first. */
export const SequenceNumber = z.int().min(0).max(MAX_INT32);

/** RFC 3339, UTC, milliseconds. */
export const Instant = z.string().meta({ format: 'date-time', example: '2026-11-20T19:00:00.000Z' });

/** A line of a person's: without spaces around it, and not empty. */
export function trimmedText(maxLength: number): z.ZodString {
  return z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .meta({ pattern: String.raw`\S` });
}

export const IdempotencyKey = z.string().min(1).max(MAX_IDEMPOTENCY_KEY).meta({ description: 'A text of your own for each run you mean.' });

export const AgentParams = z.object({ name: AgentSlug.meta({ description: 'Unique on the platform.' }) });

/** Of the lists that are ordered by time: microseconds since the epoch, and an id. */
const BY_TIME = [1_795_000_000_000_000, 'example'] as const;

/** A cursor as the list would give it, of the sort key of its last row. */
export function cursorExample(key: readonly (string | number)[]): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify(key)));
}

/**
 * Lists are read page by page; the cursor of the next page comes with each. `key`: an example of what the
 * list is ordered by.
 */
export function pageQuery(
  defaultLimit: number,
  max: number,
  key: readonly (string | number)[] = BY_TIME,
): z.ZodObject<{ limit: z.ZodDefault<z.ZodInt>; cursor: z.ZodOptional<z.ZodString> }> {
  return z.object({
    limit: z.int().min(1).max(max).default(defaultLimit),
    cursor: z
      .string()
      .max(1024)
      .optional()
      .meta({ description: 'next_cursor of the previous page.', examples: [cursorExample(key)] }),
  });
}

export const nextCursor = z.string().nullable().meta({ description: 'Opaque; null on the last page.' });

export const Fault = z
  .strictObject({
    code: z.string(),
    message: z.string(),
    issues: z
      .array(z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string(), code: z.string().optional() }))
      .optional()
      .meta({ description: 'Each place where arguments or a result do not fit their schema.' }),
  })
  .meta({ id: 'Fault', description: 'Why something failed: a stable code and a sentence that states what to do.' });

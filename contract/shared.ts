// Schemas that several groups share.
import { z } from 'zod';
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

export const AgentParams = z.object({ name: AgentSlug.meta({ description: 'Unique on the platform.' }) });

/** Lists are read page by page; the cursor of the next page comes with each. */
export function pageQuery(defaultLimit: number, max: number): z.ZodObject<{ limit: z.ZodDefault<z.ZodInt>; cursor: z.ZodOptional<z.ZodString> }> {
  return z.object({
    limit: z.int().min(1).max(max).default(defaultLimit),
    cursor: z.string().max(1024).optional().meta({ description: 'next_cursor of the previous page.' }),
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
      .meta({ description: 'Of arguments or a result that do not fit their schema: each place.' }),
  })
  .meta({ id: 'Fault', description: 'Why something failed: a stable code and a sentence that states what to do.' });

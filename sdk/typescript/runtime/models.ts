// Arguments and results against the models their skill declares.
import { z } from 'zod';
import { issuesOf } from '../../../contract/wire/arguments.ts';
import { MAX_VALUE_BYTES } from '../../../contract/wire/limits.ts';
import type { BoundSkill } from '../authoring/declare.ts';
import { AnswerTooLarge, SkillInputError, SkillOutputError } from '../authoring/errors.ts';

type Parsed = z.ZodSafeParseResult<unknown>;

/** At once, unless the model has checks that wait for something. */
export function parse(model: z.core.$ZodType, value: unknown): Parsed | Promise<Parsed> {
  try {
    return z.safeParse(model, value);
  } catch (error) {
    if (error instanceof z.core.$ZodAsyncError) return z.safeParseAsync(model, value);
    throw error;
  }
}

/** The arguments as the handler gets them. @throws SkillInputError */
export function accepted(bound: BoundSkill, parsed: Parsed): Record<string, unknown> {
  if (parsed.success) return parsed.data as Record<string, unknown>; // the input model is a z.object
  throw new SkillInputError(`the arguments do not fit the input schema of "${bound.id}"`, issuesOf(parsed.error.issues));
}

/** @throws AnswerTooLarge; what is no JSON is for its readers to refuse */
export function withinLimit(bound: BoundSkill, result: unknown): unknown {
  const bytes = bytesOf(result);
  if (bytes > MAX_VALUE_BYTES) throw new AnswerTooLarge(bound.id, bytes);
  return result;
}

function bytesOf(result: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(result) ?? '');
  } catch {
    return 0;
  }
}

/** The result as the caller gets it. @throws SkillOutputError */
export function fitting(bound: BoundSkill, parsed: Parsed): unknown {
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error.issues);
  const where = issues.map(({ path, message }) => `${path.join('.') || '(top)'}: ${message}`).join('; ');
  throw new SkillOutputError(`the result of "${bound.id}" does not fit its output schema: ${where}`, { issues });
}

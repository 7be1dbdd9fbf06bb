// Arguments and results against the models their skill declares.
import { z } from 'zod';
import type { AgentErrorIssue } from '../../../contract/wire/errors.ts';
import type { BoundSkill } from '../authoring/declare.ts';
import { SkillInputError, SkillOutputError } from '../authoring/errors.ts';

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
  throw new SkillInputError(`the arguments do not fit the input schema of "${bound.id}"`, parsed.error.issues.flatMap(withoutNull).map(issueOf));
}

/** The result as the caller gets it. @throws SkillOutputError */
export function fitting(bound: BoundSkill, parsed: Parsed): unknown {
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues
    .flatMap(withoutNull)
    .map((issue) => `${issue.path.join('.') || '(top)'}: ${issue.message}`)
    .join('; ');
  throw new SkillOutputError(`the result of "${bound.id}" does not fit its output schema: ${where}`);
}

/**
 * JSON Schema says "X or null" as a union. A value that fails it fails X, and is told so as by a nullable X: agents whose models come from
 * their card answer like those that have them in zod.
 */
function withoutNull(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length !== 2) return [issue];
  const branches = issue.errors.filter(([first]) => !(first?.code === 'invalid_type' && first.expected === 'null' && first.path.length === 0));
  const [only] = branches;
  if (branches.length !== 1 || !only) return [issue];
  return only.flatMap((inner) => withoutNull({ ...inner, path: [...issue.path, ...inner.path] }));
}

function issueOf(issue: z.core.$ZodIssue): AgentErrorIssue {
  return { path: issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part)), code: issue.code ?? 'invalid', message: issue.message };
}

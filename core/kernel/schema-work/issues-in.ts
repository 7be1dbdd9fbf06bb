// Arguments against a schema of a card, without a limit of time: for a thread that has one.
import type { z } from 'zod';
import { issuesOf, type JsonSchema, modelOf } from '#contract/wire/arguments.ts';

export interface ArgsIssue {
  path: (string | number)[];
  message: string;
}

/** More mends nobody at once, and a value of many parts has as many. */
const MOST_ISSUES = 100;

export function firstIssues({ issues }: z.ZodError): ArgsIssue[] {
  const first = issuesOf(issues.slice(0, MOST_ISSUES)).slice(0, MOST_ISSUES);
  return first.map(({ path, message }) => ({ path, message }));
}

/** Empty: they fit, or nothing of the schema can be read. */
export function issuesIn(schema: JsonSchema, args: Record<string, unknown>): ArgsIssue[] {
  const result = readable(schema)?.safeParse(args);
  return result === undefined || result.success ? [] : firstIssues(result.error);
}

function readable(schema: JsonSchema): ReturnType<typeof modelOf> | undefined {
  try {
    return modelOf(schema);
  } catch {
    return undefined;
  }
}

// Arguments against a schema of a card, without a limit of time: for a thread that has one.
import { issuesOf, type JsonSchema, modelOf } from '#contract/wire/arguments.ts';

export interface ArgsIssue {
  path: (string | number)[];
  message: string;
}

/** Empty: they fit, or nothing of the schema can be read. */
export function issuesIn(schema: JsonSchema, args: Record<string, unknown>): ArgsIssue[] {
  const result = readable(schema)?.safeParse(args);
  return result === undefined || result.success ? [] : issuesOf(result.error.issues).map(({ path, message }) => ({ path, message }));
}

function readable(schema: JsonSchema): ReturnType<typeof modelOf> | undefined {
  try {
    return modelOf(schema);
  } catch {
    return undefined;
  }
}

// One value against one schema.
import { z } from 'zod';
import type { JsonSchema } from '#contract/wire/arguments.ts';
import { type ArgsIssue, firstIssues } from './issues-in.ts';

/** With its defaults; or what is wrong with it; or why the schema cannot be read. */
export type CheckedValue = { value: unknown } | { issues: ArgsIssue[] } | { unreadable: string };

export function checkedValue(schema: JsonSchema, value: unknown): CheckedValue {
  let model: z.ZodType;
  try {
    model = z.fromJSONSchema(schema);
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
  const checked = model.safeParse(value);
  return checked.success ? { value: checked.data } : { issues: firstIssues(checked.error) };
}

// Questions that are forms: a JSON Schema describes the answer.
import { z } from 'zod';
import type { QuestionPayload } from '../../../contract/wire/events.ts';

export type Question = z.infer<typeof QuestionPayload>;

/** @throws TypeError for a schema that no answer can be checked against */
export function checkForm(schema: Readonly<Record<string, unknown>>): void {
  try {
    z.fromJSONSchema(schema);
  } catch (error) {
    throw new TypeError(`ask: the schema is no JSON Schema we understand: ${error instanceof Error ? error.message : 'unknown'}`, { cause: error });
  }
}

/** The answer as the skill gets it: text, or a form as JSON text. Where it does not fit: what is wrong. */
export function readAnswer({ schema }: Pick<Question, 'schema'>, answer: unknown): { text: string } | { mistakes: string } {
  if (!schema) return { text: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  const given = typeof answer === 'string' ? parsed(answer) : answer;
  const checked = z.fromJSONSchema(schema).safeParse(given);
  if (checked.success) return { text: JSON.stringify(checked.data) };
  return { mistakes: checked.error.issues.map(({ path, message }) => `${path.join('.') || '(top)'}: ${message}`).join('; ') };
}

/** JSON, or else the text itself: a form may be one string. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

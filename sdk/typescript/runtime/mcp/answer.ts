// What a client's elicitation result says to a question.
import type { inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Question } from './attended.ts';

const ElicitResult = z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.record(z.string(), z.unknown()).nullish() });
const scalar = z.union([z.string(), z.number(), z.boolean()]);

export type Answer = { kind: 'text'; text: string } | { kind: 'refused' } | { kind: 'none' };

/** A question is one line of text. */
export function requestedSchema({ prompt }: Question): Parameters<typeof inputRequired.elicit>[0]['requestedSchema'] {
  return { type: 'object', properties: { answer: { type: 'string', title: prompt.slice(0, 80) } }, required: ['answer'] };
}

/** `none`: nothing that answers it; it is asked again. */
export function answerOf(_question: Question, response: unknown): Answer {
  const result = ElicitResult.safeParse(response);
  if (!result.success) return { kind: 'none' };
  if (result.data.action !== 'accept') return { kind: 'refused' };
  const { content } = result.data;
  // Clients that show one field do not all keep its name.
  const values = Object.values(content ?? {});
  const given = scalar.safeParse(content?.['answer'] ?? (values.length === 1 ? values[0] : undefined));
  return given.success ? { kind: 'text', text: String(given.data) } : { kind: 'none' };
}

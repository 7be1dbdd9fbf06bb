// A question as a client's elicitation puts it, and what the result says to it.
import { isSpecType, type inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { readAnswer } from '../form.ts';
import type { Question } from './attended.ts';

const ElicitResult = z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.record(z.string(), z.unknown()).nullish() });
const scalar = z.union([z.string(), z.number(), z.boolean()]);

export type Answer = { kind: 'text'; text: string } | { kind: 'refused' } | { kind: 'none'; mistakes: string };

type RequestedSchema = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];

/** A form of plain fields as it is, for the protocol allows no other; anything else is one line of text. */
export function requestedSchema({ prompt, schema }: Question): RequestedSchema {
  const form = flatForm(schema);
  if (form) return form;
  const asJson = schema && { description: `JSON that fits ${JSON.stringify(schema)}` };
  return { type: 'object', properties: { answer: { type: 'string', title: prompt.slice(0, 80), ...asJson } }, required: ['answer'] };
}

function flatForm(schema: Question['schema']): RequestedSchema | undefined {
  const { type, properties, required } = schema ?? {};
  const request = { mode: 'form', message: '', requestedSchema: { type, properties, ...(required !== undefined && { required }) } };
  return isSpecType.ElicitRequestFormParams(request) ? request.requestedSchema : undefined;
}

/** `none`: nothing that answers it; it is asked again, with what was wrong. */
export function answerOf(question: Question, response: unknown): Answer {
  const result = ElicitResult.safeParse(response);
  if (!result.success) return { kind: 'none', mistakes: 'there was none' };
  if (result.data.action !== 'accept') return { kind: 'refused' };
  const { content } = result.data;
  if (flatForm(question.schema)) return fitting(question, content ?? {});
  // Clients that show one field do not all keep its name.
  const values = Object.values(content ?? {});
  const given = scalar.safeParse(content?.['answer'] ?? (values.length === 1 ? values[0] : undefined));
  return given.success ? fitting(question, String(given.data)) : { kind: 'none', mistakes: 'fill in the field "answer"' };
}

function fitting(question: Question, answer: unknown): Answer {
  const read = readAnswer(question, answer);
  return 'text' in read ? { kind: 'text', text: read.text } : { kind: 'none', mistakes: read.mistakes };
}

// A question as a client's elicitation puts it, and what the result says to it.
import { isSpecType, type inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CancelledByCaller } from '../../authoring/errors.ts';
import { readAnswer } from '../form.ts';
import type { PendingRequests } from '../pending.ts';
import type { AttendedRun, Question } from './attended.ts';

const ElicitResult = z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.record(z.string(), z.unknown()).nullish() });

/**
 * `dismissed`: the person closed the form without a choice, which ends the run. `none`: nothing that answers
 * it; it is asked again, with what was wrong.
 */
export type Answer = { kind: 'text'; text: string } | { kind: 'declined' } | { kind: 'dismissed' } | { kind: 'none'; mistakes: string };

/** What is put to a person, whatever it is for. */
export type InputForm = Pick<Question, 'prompt' | 'schema'>;

/** Under which key the client brings the answer. */
export function inputKey({ name, question_id }: Pick<Question, 'name' | 'question_id'>): string {
  return name ?? question_id;
}

/** The run goes on with the answer; what was wrong with it, where it does not. */
export function settle(pending: PendingRequests, run: Pick<AttendedRun, 'stop'>, { question_id }: Question, answer: Answer): string | undefined {
  if (answer.kind === 'none') return answer.mistakes;
  if (answer.kind === 'dismissed') run.stop(new CancelledByCaller());
  else if (answer.kind === 'declined') pending.decline(question_id);
  else pending.answer(question_id, answer.text);
  return undefined;
}

type RequestedSchema = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];

/** A form of plain fields as it is, for the protocol allows no other; anything else is one line of text. */
export function requestedSchema({ prompt, schema }: InputForm): RequestedSchema {
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

export function answerOf(question: InputForm, response: unknown): Answer {
  const result = ElicitResult.safeParse(response);
  if (!result.success) return { kind: 'none', mistakes: 'there was none' };
  if (result.data.action !== 'accept') return { kind: result.data.action === 'decline' ? 'declined' : 'dismissed' };
  const { content } = result.data;
  if (flatForm(question.schema)) return fitting(question, content ?? {});
  // Clients that show one field do not all keep its name.
  const values = Object.values(content ?? {});
  const given = content?.['answer'] ?? (values.length === 1 ? values[0] : undefined);
  return typeof given === 'string' ? fitting(question, given) : { kind: 'none', mistakes: 'fill in the field "answer" with text' };
}

function fitting(question: InputForm, answer: unknown): Answer {
  const read = readAnswer(question, answer);
  return 'text' in read ? { kind: 'text', text: read.text } : { kind: 'none', mistakes: read.mistakes };
}

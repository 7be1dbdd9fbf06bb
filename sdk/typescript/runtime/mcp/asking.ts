// How what a run asks is put to clients: as a form, or as text for those that can show none.
import { CLIENT_CAPABILITIES_META_KEY, inputRequired, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type InputForm, requestedSchema } from './answer.ts';
import type { Question } from './attended.ts';

export const ANSWER_TOOL = 'answer_question';

const Capabilities = z.object({ elicitation: z.looseObject({ form: z.unknown(), url: z.unknown() }).partial() });

/**
 * The client of this request can put a form before its person, and comes back with the answer. One of 2025 is
 * asked on its stream (elicit.ts).
 */
export function canElicit({ mcpReq }: ServerContext): boolean {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  return showsForms(envelope[CLIENT_CAPABILITIES_META_KEY]);
}

export function showsForms(declared: unknown): boolean {
  const capabilities = Capabilities.safeParse(declared);
  if (!capabilities.success) return false;
  const { form, url } = capabilities.data.elicitation;
  // An empty declaration means forms, as before URLs existed.
  return form !== undefined || url === undefined;
}

/** `mistakes`: of the answer that came before this. */
export function questionRequest(question: InputForm, mistakes?: string): ReturnType<typeof inputRequired.elicit> {
  const message = mistakes === undefined ? question.prompt : `${question.prompt}\n\nThe answer before did not do: ${mistakes}`;
  return inputRequired.elicit({ message, requestedSchema: requestedSchema(question) });
}

export function toAnswerText(skill: string): (question: Question) => string {
  return ({ question_id, prompt, expires_at, schema }) => {
    const form = schema ? ` The answer is JSON that fits ${JSON.stringify(schema)}.` : '';
    const how = `To answer, call ${ANSWER_TOOL} with {"question_id": "${question_id}", "answer": "…"} before ${expires_at}; its result is that of ${skill}.`;
    return `question: ${prompt}\n\nThis tool has asked a question and waits. Put it to the user.${form} ${how}`;
  };
}

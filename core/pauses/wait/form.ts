// Forms: JSON Schemas from agents, with which people's answers are checked. Neither the schema nor the answer
// is trusted.
import { Invalid } from '../../kernel/errors.ts';
import { schemaWork } from '../../kernel/schema-work/ask.ts';
import { MAX_FORM_DEPTH } from '../../kernel/schema-work/checked-form.ts';
import type { CheckedValue } from '../../kernel/schema-work/checked-value.ts';

const MAX_BYTES = 65_536;

/** @param author whose agent sends it @throws Invalid when no answer could be checked against it */
export async function checkFormSchema(author: string, schema: Record<string, unknown>): Promise<void> {
  const read = await checked(author, schema, null);
  if (!read) throw unreadable('this form takes too long to read: make it shorter');
  if ('unreadable' in read) throw unreadable(`this is no JSON Schema we understand: ${read.unreadable}`);
}

/**
 * The answer as it is stored. A form that takes too long is left to its agent. @param author whose agent asks
 * @throws Invalid with each mistake and its place
 */
export async function checkAnswer(author: string, answer: unknown, schema: Record<string, unknown> | undefined): Promise<unknown> {
  const text = textOf(answer);
  if (text !== undefined && Buffer.byteLength(text) > MAX_BYTES) throw mistaken([], `an answer may have at most ${MAX_BYTES} bytes`);
  if (text === undefined || isDeep(answer)) throw mistaken([], `an answer has at most ${MAX_FORM_DEPTH} levels`);
  if (!schema) {
    if (typeof answer !== 'string') throw mistaken([], 'answer with a text');
    return answer;
  }
  const read = (await checked(author, schema, answer)) ?? { value: answer };
  if ('value' in read) return read.value;
  if ('unreadable' in read) throw unreadable(`this is no JSON Schema we understand: ${read.unreadable}`);
  throw new Invalid(read.issues.map(({ path, message }) => ({ path: ['body', 'answer', ...path], message })));
}

async function checked(author: string, schema: Record<string, unknown>, value: unknown): Promise<CheckedValue | undefined> {
  const isShort = (textOf(schema)?.length ?? Infinity) <= MAX_BYTES;
  const read = isShort ? await schemaWork(author, 'form', { schema, value }) : { value: 'no form' as const };
  if (read?.value === 'no form') throw unreadable(`a form has no "$ref" or "pattern", at most 64 KiB, and at most ${MAX_FORM_DEPTH} levels`);
  return read?.value;
}

/** As JSON. Undefined: it is nested too deeply for that. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return undefined;
  }
}

function isDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth > MAX_FORM_DEPTH || Object.values(value).some((one) => isDeep(one, depth + 1));
}

function unreadable(message: string): Invalid {
  return new Invalid([{ path: ['body', 'schema'], message }]);
}

function mistaken(path: (string | number)[], message: string): Invalid {
  return new Invalid([{ path: ['body', 'answer', ...path], message }]);
}

// Forms: JSON Schemas from agents, with which people's answers are checked. Neither the schema nor the answer is trusted.
import { Invalid } from '../../kernel/errors.ts';
import { schemaWork } from '../../kernel/schema-work/ask.ts';

const maxAnswerBytes = 65_536;

/** @param author whose agent sends it @throws Invalid when no answer could be checked against it */
export async function checkFormSchema(author: string, schema: Record<string, unknown>): Promise<void> {
  requireForm(schema);
  const read = await schemaWork(author, 'check', { schema, value: null });
  if (!read) throw unreadable('this form takes too long to read: make it shorter');
  if ('unreadable' in read.value) throw unreadable(`this is no JSON Schema we understand: ${read.value.unreadable}`);
}

/** The answer as it is stored. A form that takes too long is left to its agent. @param author whose agent asks @throws Invalid with each mistake and its place */
export async function checkAnswer(author: string, answer: unknown, schema: Record<string, unknown> | undefined): Promise<unknown> {
  if (isDeep(answer)) throw mistaken([], `an answer has at most ${maxDepth} levels`);
  if (Buffer.byteLength(JSON.stringify(answer) ?? '') > maxAnswerBytes) throw mistaken([], `an answer may have at most ${maxAnswerBytes} bytes`);
  if (!schema) {
    if (typeof answer !== 'string') throw mistaken([], 'answer with a text');
    return answer;
  }
  requireForm(schema);
  const checked = (await schemaWork(author, 'check', { schema, value: answer }))?.value ?? { value: answer };
  if ('value' in checked) return checked.value;
  if ('unreadable' in checked) throw unreadable(`this is no JSON Schema we understand: ${checked.unreadable}`);
  throw new Invalid(checked.issues.map(({ path, message }) => ({ path: ['body', 'answer', ...path], message })));
}

/** References and patterns make an agent's schema a program of its own: forms do without. */
function requireForm(schema: Record<string, unknown>): void {
  if (hasWord(schema) || JSON.stringify(schema).length > maxAnswerBytes)
    throw unreadable(`a form has no "$ref" or "pattern", at most 64 KiB, and at most ${maxDepth} levels`);
}

function unreadable(message: string): Invalid {
  return new Invalid([{ path: ['body', 'schema'], message }]);
}

/** Deeper than any form, and shallow enough for every reader. */
const maxDepth = 32;
/** Below these stand names of the agent's own, and then schemas again. */
const NAMES = new Set(['properties', '$defs', 'definitions']);
const REFUSED = new Set(['$ref', '$dynamicRef', 'pattern', 'patternProperties']);

/** As a keyword; a field of that name is found below "properties" and is fine. True also for what is nested too deeply to tell. */
function hasWord(node: unknown, isNames = false, depth = 0): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (depth > maxDepth) return true;
  if (Array.isArray(node)) return node.some((item) => hasWord(item, false, depth + 1));
  return Object.entries(node).some(([key, value]) => (!isNames && REFUSED.has(key)) || hasWord(value, !isNames && NAMES.has(key), depth + 1));
}

function isDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth > maxDepth || Object.values(value).some((one) => isDeep(one, depth + 1));
}

function mistaken(path: (string | number)[], message: string): Invalid {
  return new Invalid([{ path: ['body', 'answer', ...path], message }]);
}

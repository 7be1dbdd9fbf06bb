// Forms: JSON Schemas from agents, with which people's answers are checked. Neither the schema nor the answer is trusted.
import { z } from 'zod';
import { Invalid } from '../../kernel/errors.ts';

const maxAnswerBytes = 65_536;

/** @throws Invalid when no answer could be checked against it */
export function checkFormSchema(schema: Record<string, unknown>): void {
  formOf(schema);
}

/** The answer as it is stored. @throws Invalid with each mistake and its place */
export function checkAnswer(answer: unknown, schema: Record<string, unknown> | undefined): unknown {
  if (isDeep(answer)) throw mistaken([], `an answer has at most ${maxDepth} levels`);
  if (Buffer.byteLength(JSON.stringify(answer) ?? '') > maxAnswerBytes) throw mistaken([], `an answer may have at most ${maxAnswerBytes} bytes`);
  if (!schema) {
    if (typeof answer !== 'string') throw mistaken([], 'answer with a text');
    return answer;
  }
  const checked = formOf(schema).safeParse(answer);
  if (checked.success) return checked.data;
  throw new Invalid(
    checked.error.issues.map(({ path, message }) => ({ path: ['body', 'answer', ...path.map((step) => (typeof step === 'symbol' ? '' : step))], message })),
  );
}

function formOf(schema: Record<string, unknown>): z.ZodType {
  // References and patterns make an agent's schema a program of its own: forms do without.
  if (hasWord(schema) || JSON.stringify(schema).length > maxAnswerBytes) {
    throw new Invalid([{ path: ['body', 'schema'], message: `a form has no "$ref" or "pattern", at most 64 KiB, and at most ${maxDepth} levels` }]);
  }
  try {
    return z.fromJSONSchema(schema);
  } catch (error) {
    throw new Invalid([{ path: ['body', 'schema'], message: `this is no JSON Schema we understand: ${error instanceof Error ? error.message : 'unknown'}` }]);
  }
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

// Forms: JSON Schemas that agents send and people's answers are held against. Neither side is believed.
import { z } from 'zod';
import { Invalid } from '../../errors.ts';

const maxAnswerBytes = 65_536;

/** @throws Invalid when no answer could be checked against it */
export function checkFormSchema(schema: Record<string, unknown>): void {
  formOf(schema);
}

/** The answer as it is stored. @throws Invalid with each mistake and its place */
export function checkAnswer(answer: unknown, schema: Record<string, unknown> | undefined): unknown {
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
  if (JSON.stringify(schema).length > maxAnswerBytes || hasWord(schema)) {
    throw new Invalid([{ path: ['body', 'schema'], message: 'a form has no "$ref" or "pattern", and at most 64 KiB' }]);
  }
  try {
    return z.fromJSONSchema(schema);
  } catch (error) {
    throw new Invalid([{ path: ['body', 'schema'], message: `this is no JSON Schema we understand: ${error instanceof Error ? error.message : 'unknown'}` }]);
  }
}

const REFUSED = new Set(['$ref', '$dynamicRef', 'pattern', 'patternProperties']);

/** As a keyword; a field of that name is found below "properties" and is fine. */
function hasWord(node: unknown, isNames = false): boolean {
  if (Array.isArray(node)) return node.some((item) => hasWord(item));
  if (typeof node !== 'object' || node === null) return false;
  return Object.entries(node).some(([key, value]) => (!isNames && REFUSED.has(key)) || hasWord(value, !isNames && key === 'properties'));
}

function mistaken(path: (string | number)[], message: string): Invalid {
  return new Invalid([{ path: ['body', 'answer', ...path], message }]);
}

// A person's answer against the form of an agent. References and patterns make a schema a program of its own:
// forms do without.
import { type CheckedValue, checkedValue } from './checked-value.ts';
import type { JsonSchema } from '#contract/wire/arguments.ts';

/** Deeper than any form, and shallow enough for every reader. */
export const MAX_FORM_DEPTH = 32;

export function checkedForm(schema: JsonSchema, value: unknown): CheckedValue | 'no form' {
  return hasWord(schema) ? 'no form' : checkedValue(schema, value);
}

/** Below these stand names of the agent's own, and then schemas again. */
const NAMES = new Set(['properties', '$defs', 'definitions']);
const REFUSED = new Set(['$ref', '$dynamicRef', 'pattern', 'patternProperties']);

/**
 * As a keyword; a field of that name is found below "properties" and is fine. True also for what is nested
 * too deeply to tell.
 */
function hasWord(node: unknown, isNames = false, depth = 0): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (depth > MAX_FORM_DEPTH) return true;
  if (Array.isArray(node)) return node.some((item) => hasWord(item, false, depth + 1));
  return Object.entries(node).some(([key, value]) => (!isNames && REFUSED.has(key)) || hasWord(value, !isNames && NAMES.has(key), depth + 1));
}

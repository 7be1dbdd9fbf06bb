// One JSON Schema (draft 2020-12) as a form reads it: references followed, `allOf` merged, one level at a
// time, so that recursion does no harm.
import { atSteps, referenceSteps } from '#contract/wire/json-pointer.ts';

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

const MAX_HOPS = 16;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Own members only: a schema may name a member `constructor`. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * Without `$ref` and `allOf` at its top. What is no schema, or leads nowhere, allows anything. @param root
 * where references begin
 */
export function resolve(schema: unknown, root: JsonSchema, hops = 0): JsonSchema {
  if (!isObject(schema) || hops > MAX_HOPS) return {};
  const { $ref, $dynamicRef, allOf, ...own } = schema;
  const reference = $ref ?? $dynamicRef;
  const parts = Array.isArray(allOf) ? allOf.map((part) => resolve(part, root, hops + 1)) : [];
  const base = typeof reference === 'string' ? resolve(targetOf(reference, root), root, hops + 1) : {};
  return [base, ...parts, own].reduce(merge, {});
}

/** What `#/$defs/…`, `#` or `#anchor` names. */
function targetOf(reference: string, root: JsonSchema): unknown {
  const steps = referenceSteps(reference);
  if (steps !== undefined) return atSteps(root, steps);
  const defs = memberOf(root, '$defs');
  return isObject(defs) ? Object.values(defs).find((one) => memberOf(one, '$anchor') === reference.slice(1) || memberOf(one, '$id') === reference) : undefined;
}

type Rule = (a: unknown, b: unknown) => unknown;
const least: Rule = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.min(a, b) : b);
const greatest: Rule = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.max(a, b) : b);
const joined: Rule = (a, b) => [...new Set([...listOf(a), ...listOf(b)])];
const common: Rule = (a, b) => {
  const [some, others] = [listOf(a), listOf(b)];
  const both = some.filter((one) => others.some((other) => JSON.stringify(one) === JSON.stringify(other)));
  return both.length === 0 ? b : both;
};

/** What holds where two schemas both hold, as far as a form needs it; the check has the last word. */
const RULES: Record<string, Rule> = {
  properties: mergeMembers,
  patternProperties: mergeMembers,
  dependentSchemas: mergeMembers,
  $defs: mergeMembers,
  required: joined,
  enum: common,
  type: (a, b) => (a === 'number' && b === 'integer' ? b : b === 'number' && a === 'integer' ? a : common(a, b)),
  items: bothHold,
  minimum: greatest,
  exclusiveMinimum: greatest,
  minLength: greatest,
  minItems: greatest,
  maximum: least,
  exclusiveMaximum: least,
  maxLength: least,
  maxItems: least,
  readOnly: (a, b) => a === true || b === true,
};

export function merge(a: JsonSchema, b: JsonSchema): JsonSchema {
  const merged = { ...a };
  for (const [keyword, value] of Object.entries(b)) {
    const rule = RULES[keyword];
    merged[keyword] = keyword in a && rule ? rule(a[keyword], value) : value;
  }
  return merged;
}

function mergeMembers(a: unknown, b: unknown): unknown {
  if (!isObject(a) || !isObject(b)) return b;
  const merged = { ...a };
  for (const [name, schema] of Object.entries(b)) merged[name] = Object.hasOwn(a, name) ? bothHold(a[name], schema) : schema;
  return merged;
}

function bothHold(a: unknown, b: unknown): unknown {
  return isObject(a) && isObject(b) ? { allOf: [a, b] } : b;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

/** The types it names; none: any. */
export function typesOf(schema: JsonSchema): string[] {
  return listOf(schema.type).filter((type) => typeof type === 'string');
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

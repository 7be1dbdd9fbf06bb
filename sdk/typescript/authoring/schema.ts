// A skill's zod models as the JSON Schemas its card publishes.
import { z } from 'zod';
import { modelOf } from '../../../contract/wire/arguments.ts';

export type JsonSchema = Record<string, unknown>;
export type InputModel = z.ZodObject;
export type OutputModel = z.core.$ZodType;

/** The model that is enforced: the author's, closed. Unknown arguments are refused, never dropped. */
export function closed(model: InputModel): InputModel {
  return model.strict();
}

/**
 * `required` lists what has no default; `additionalProperties` is false. @throws Error for what JSON Schema
 * cannot say (z.date(), z.map() …)
 */
export function inputSchema(model: InputModel): JsonSchema {
  const schema = plain(z.toJSONSchema(closed(model), { io: 'input', target: 'draft-2020-12', override: withoutSafeBounds }));
  const extensions = extensionsOf(model);
  const definitions = { ...asObject(schema['$defs']), ...asObject(extensions['$defs']) };
  const shared = Object.keys(definitions).length > 0 ? { $defs: definitions } : {};
  return { ...schema, ...extensions, ...shared, required: Array.isArray(schema['required']) ? schema['required'] : [] };
}

/** Rules between arguments, for callers to read: what enforces them is the author's own `.refine()`. */
const BETWEEN_ARGUMENTS = new Set(['$schema', '$defs', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas']);

/** What the author's model says of itself (`.meta()`); closing it makes another model, without. */
function extensionsOf(model: InputModel): JsonSchema {
  return Object.fromEntries(Object.entries(model.meta() ?? {}).filter(([key]) => key.startsWith('x-') || BETWEEN_ARGUMENTS.has(key)));
}

/**
 * What is enforced of a JSON Schema that an author gives instead of a model: what zod can say of it. Where
 * that is nothing, the names of its members.
 * @throws Error where it is not of type object
 */
export function modelOfSchema(schema: JsonSchema): InputModel {
  const { properties, required } = schema;
  if (schema['type'] !== 'object') throw new Error('inputSchema must have the type "object"');
  try {
    const model = modelOf(checkable(schema));
    if (model instanceof z.ZodObject) return closed(model);
  } catch {
    // Some schemas cannot be said at all.
  }
  const needed = new Set(Array.isArray(required) ? required : []);
  return z.strictObject(Object.fromEntries(Object.keys(asObject(properties)).map((name) => [name, needed.has(name) ? z.json() : z.json().optional()])));
}

const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const LITERAL = new Set(['enum', 'const', 'examples']);

/**
 * Without what zod reads otherwise. JSON Schema reads patterns with Unicode classes: without, such a pattern
 * would refuse what it allows. A `default` only says what is meant where nothing is given: filled in, an
 * agent would send on what its caller has not said, and overwrite what it did not mean.
 */
export function checkable(schema: JsonSchema): JsonSchema {
  const walk = (value: unknown, named: boolean): unknown => {
    if (Array.isArray(value)) return value.map((one) => walk(one, false));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, member]) => {
        if (named) return [[key, walk(member, false)]];
        if (key === 'default' || (key === 'pattern' && isUnicode(member))) return [];
        return [[key, LITERAL.has(key) ? member : walk(member, NAMED.has(key))]];
      }),
    );
  };
  return plain(Object(walk(schema, false)));
}

function isUnicode(pattern: unknown): boolean {
  return typeof pattern === 'string' && /\\[pPu]\{|[^\0-\u007f]/.test(pattern);
}

export function outputSchema(model: OutputModel): JsonSchema {
  return plain(z.toJSONSchema(model, { io: 'output', target: 'draft-2020-12', override: withoutSafeBounds }));
}

/**
 * z.int() states JavaScript's own limits as minimum and maximum; they are no rule of the author's, and other
 * languages have none.
 */
export function withoutSafeBounds({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function plain(schema: object): JsonSchema {
  const { $schema: _, '~standard': __, ...rest } = schema as JsonSchema; // a JSON object by zod's word
  return rest;
}

// A skill's zod models as the JSON Schemas its card publishes.
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;
export type InputModel = z.ZodObject;
export type OutputModel = z.core.$ZodType;

/** The model that is enforced: the author's, closed. Unknown arguments are refused, never dropped. */
export function closed(model: InputModel): InputModel {
  return model.strict();
}

/** `required` lists what has no default; `additionalProperties` is false. @throws Error for what JSON Schema cannot say (z.date(), z.map() …) */
export function inputSchema(model: InputModel): JsonSchema {
  const schema = plain(z.toJSONSchema(closed(model), { io: 'input', target: 'draft-2020-12', override: withoutSafeBounds }));
  return { ...schema, ...extensionsOf(model), required: Array.isArray(schema['required']) ? schema['required'] : [] };
}

/** What the author's model says beyond JSON Schema; closing it makes another model, without. */
function extensionsOf(model: InputModel): JsonSchema {
  return Object.fromEntries(Object.entries(model.meta() ?? {}).filter(([key]) => key.startsWith('x-')));
}

export function outputSchema(model: OutputModel): JsonSchema {
  return plain(z.toJSONSchema(model, { io: 'output', target: 'draft-2020-12', override: withoutSafeBounds }));
}

/** z.int() states JavaScript's own limits as minimum and maximum; they are no rule of the author's, and other languages have none. */
function withoutSafeBounds({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function plain(schema: object): JsonSchema {
  const { $schema: _, '~standard': __, ...rest } = schema as JsonSchema; // a JSON object by zod's word
  return rest;
}

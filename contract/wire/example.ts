// Arguments to try a skill with, from its JSON Schema: what its author gave as an example, or a value of the
// right type.
type Schema = Record<string, unknown>;

const MAX_DEPTH = 4;
const MAX_MEMBERS = 20;
const BY_TYPE: Record<string, unknown> = { string: 'text', integer: 1, number: 1, boolean: true, null: null };

/** The required arguments; of optional ones those with an example or a default. */
export function exampleOf(schema: Schema): Schema {
  const value = valueOf(schema, 0);
  return isRecord(value) ? value : {};
}

function valueOf(schema: unknown, depth: number): unknown {
  if (!isRecord(schema) || depth > MAX_DEPTH) return {};
  const given = givenIn(schema);
  if (given !== undefined) return given;
  const { type, enum: words, anyOf, oneOf } = schema;
  if (Array.isArray(words) && words.length > 0) return words[0];
  const choices = [anyOf, oneOf].find((one) => Array.isArray(one) && one.length > 0);
  if (Array.isArray(choices)) return valueOf(choices[0], depth + 1);
  const [first]: unknown[] = [type].flat();
  if (first === 'array') return schema['items'] === undefined ? [] : [valueOf(schema['items'], depth + 1)];
  if (typeof first === 'string' && first in BY_TYPE) return BY_TYPE[first];
  return membersOf(schema, depth);
}

function membersOf({ properties, required }: Schema, depth: number): Schema {
  if (!isRecord(properties)) return {};
  const due: unknown[] = Array.isArray(required) ? required : [];
  const shown = Object.entries(properties).filter(([name, member]) => due.includes(name) || givenIn(member) !== undefined);
  return Object.fromEntries(shown.slice(0, MAX_MEMBERS).map(([name, member]) => [name, valueOf(member, depth + 1)]));
}

function givenIn(schema: unknown): unknown {
  if (!isRecord(schema)) return undefined;
  const { examples, default: usual, const: only } = schema;
  return Array.isArray(examples) && examples.length > 0 ? examples[0] : (only ?? usual);
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

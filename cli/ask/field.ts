// One value of a form or of a command's flag: what its JSON Schema wants, and text read as that.
import { NumberOutOfRange, parseExact } from '#contract/wire/exact-json.ts';
import { spoken } from '#contract/wire/spoken.ts';
import { choiceWords, humanized } from '#contract/wire/wording.ts';
import { z } from 'zod';

export interface Field {
  name: string;
  title: string;
  description: string;
  required: boolean;
  /** Not to be shown while it is typed. */
  secret: boolean;
  kind: 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'json';
  /** One of these and nothing else. */
  choices: unknown[] | undefined;
  /** Of a list. */
  items: Field | undefined;
  default: unknown;
  schema: JsonSchema;
}

export type JsonSchema = Record<string, unknown>;
export type Read = { value: unknown } | { problem: string };

const MAX_DEPTH = 8;

/** Of an object's schema; references are followed inside `schema`. undefined: it has no named members. */
export function fieldsOf(schema: JsonSchema): Field[] | undefined {
  if (!isObject(schema.properties)) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, member]) => fieldOf(name, member, required.includes(name), schema));
}

export function fieldOf(name: string, schema: unknown, required: boolean, root: JsonSchema = {}, depth = 0): Field {
  const own = resolved(schema, root);
  const { schema: one, nullable } = withoutNull(own, root);
  const type = [one.type].flat().find((word) => word !== 'null');
  const choices = 'const' in one ? [one.const] : Array.isArray(one.enum) ? one.enum : undefined;
  const isList = type === 'array' && depth < MAX_DEPTH;
  return {
    name,
    title: textOf(one.title) ?? textOf(own.title) ?? humanized(name),
    description: textOf(one.description) ?? textOf(own.description) ?? '',
    required: required && !nullable && own.default === undefined,
    secret: one.writeOnly === true || one.format === 'password',
    kind: isList ? 'list' : kindOf(type, choices),
    choices,
    items: isList ? fieldOf(name, one.items ?? {}, true, root, depth + 1) : undefined,
    default: own.default ?? one.default,
    schema: one,
  };
}

/** Text as a person types it. */
export function readText(field: Field, text: string): Read {
  const read = field.choices ? chosen(field.choices, text) : typed(field, text);
  if ('problem' in read || field.choices) return read;
  const issues = issuesOf(field.schema, read.value);
  return issues.length === 0 ? read : { problem: issues.join('; ') };
}

/**
 * What is wrong with a value; nothing where the schema is none this tool understands: the platform has the
 * last word.
 */
export function issuesOf(schema: JsonSchema, value: unknown): string[] {
  let model: z.ZodType;
  try {
    model = z.fromJSONSchema(schema);
  } catch {
    return [];
  }
  const checked = model.safeParse(value);
  return checked.success
    ? []
    : checked.error.issues.map(({ path, message }) => (path.length === 0 ? spoken(message) : `${path.map(String).join('.')}: ${spoken(message)}`));
}

/** `yes/no`, `whole number`, `red, green` … */
export function hintOf({ kind, choices, items }: Field): string {
  if (choices) return choices.map(shown).join(', ');
  if (kind === 'list') return items && items.kind !== 'json' ? `several, with commas: ${hintOf(items)}` : 'a JSON list';
  return { text: 'text', integer: 'whole number', number: 'number', boolean: 'yes or no', json: 'JSON' }[kind];
}

export function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function chosen(choices: readonly unknown[], text: string): Read {
  const exact = choices.find((choice) => shown(choice) === text);
  if (exact !== undefined) return { value: exact };
  const near = choices.filter((choice) => shown(choice).toLowerCase() === text.trim().toLowerCase());
  if (near.length === 1) return { value: near[0] };
  const number = /^\s*\d{1,4}\s*$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= choices.length) return { value: choices[number - 1] };
  return { problem: choiceWords(choices) };
}

function typed(field: Field, text: string): Read {
  const trimmed = text.trim();
  switch (field.kind) {
    case 'text':
      return { value: text };
    case 'integer':
      return /^[-+]?\d{1,15}$/.test(trimmed) ? { value: Number(trimmed) } : { problem: 'type a whole number, e.g. 3' };
    case 'number':
      return trimmed !== '' && Number.isFinite(Number(trimmed)) ? { value: Number(trimmed) } : { problem: 'type a number, e.g. 2.5' };
    case 'boolean':
      if (/^(?:y|yes|true|1)$/i.test(trimmed)) return { value: true };
      return /^(?:n|no|false|0)$/i.test(trimmed) ? { value: false } : { problem: 'type yes or no' };
    case 'list':
      return list(field, trimmed);
    case 'json':
      return json(trimmed, 'type JSON, e.g. {"a": 1}');
  }
}

function list({ items }: Field, text: string): Read {
  if (text.startsWith('[') || !items || items.kind === 'json' || items.kind === 'list') return json(text, 'type a JSON list, e.g. ["a", "b"]');
  const reads = text === '' ? [] : text.split(',').map((part) => readText(items, part.trim()));
  const wrong = reads.find((read) => 'problem' in read);
  return wrong ?? { value: reads.map((read) => ('value' in read ? read.value : undefined)) };
}

function json(text: string, problem: string): Read {
  try {
    return { value: parseExact(text) };
  } catch (error) {
    return { problem: error instanceof NumberOutOfRange ? error.message : problem };
  }
}

function kindOf(type: unknown, choices: readonly unknown[] | undefined): Field['kind'] {
  if (type === 'string' || (type === undefined && choices?.every((choice) => typeof choice === 'string'))) return 'text';
  if (type === 'integer' || type === 'number' || type === 'boolean') return type;
  return 'json';
}

/** `T | null` is T that may be left out. */
function withoutNull(schema: JsonSchema, root: JsonSchema): { schema: JsonSchema; nullable: boolean } {
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (!branches) return { schema, nullable: Array.isArray(schema.type) && schema.type.includes('null') };
  const all = branches.map((branch) => resolved(branch, root));
  const [only, ...more] = all.filter((branch) => branch.type !== 'null');
  const nullable = all.some((branch) => branch.type === 'null');
  if (only && more.length === 0) return { schema: only, nullable };
  // Constants side by side are an enumeration.
  const constants = all.map((branch) => branch.const).filter((value) => value !== undefined);
  return constants.length === all.length ? { schema: { enum: constants }, nullable: false } : { schema, nullable };
}

/** Follows `#/$defs/…`; anything else that is no schema stands for "any". */
function resolved(schema: unknown, root: JsonSchema, depth = 0): JsonSchema {
  if (!isObject(schema)) return {};
  const reference = schema.$ref;
  if (typeof reference !== 'string' || !reference.startsWith('#/') || depth > MAX_DEPTH) return schema;
  const { $ref: _followed, ...beside } = schema;
  let at: unknown = root;
  for (const step of reference.slice(2).split('/')) at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  return { ...resolved(at, root, depth + 1), ...beside };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

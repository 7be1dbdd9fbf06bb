// A skill's arguments as a form, filled with the values that the message has word for word; nothing is
// guessed. Pure.
import { JsonMistake, readJsonAt } from './json-at.ts';
import { quotedSpans } from './quotes.ts';

export type Schema = Record<string, unknown>;

export interface Filled {
  args: Record<string, unknown>;
  /** Required, and not in the message. */
  missing: string[];
}

export function schemaProperties(schema: Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(record(schema['properties'])).map(([name, of]) => [name, record(of)]));
}

export function requiredOf(schema: Schema): string[] {
  const names = schema['required'];
  const properties = schemaProperties(schema);
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string' && properties[name]?.['default'] === undefined) : [];
}

/** The one text a skill needs, when it needs nothing else. */
export function onlyText(schema: Schema): string | undefined {
  const [name, ...more] = requiredOf(schema);
  return name !== undefined && more.length === 0 && isText(schemaProperties(schema)[name] ?? {}) ? name : undefined;
}

export function fill(text: string, schema: Schema): Filled {
  const properties = schemaProperties(schema);
  const args = { ...named(text, properties), ...written(text, properties) };
  const only = onlyText(schema);
  if (only !== undefined && args[only] === undefined) {
    const quoted = quotedSpans(text).map(([from, to]) => text.slice(from + 1, to));
    if (quoted.length === 1) args[only] = quoted[0];
  }
  return { args, missing: requiredOf(schema).filter((name) => args[name] === undefined) };
}

/** `name: value`, the value up to a blank or in quotes. */
export const pair = /(?:^|[\s,;(])([A-Za-z_]\w{0,63})\s?[=:]\s?("(?:[^"\\\n]|\\.){0,10000}"|[^\s,;)]{1,1000})/g;

/** `count: 3`, `unit=km`, `to: "Ada Lovelace"`. */
function named(text: string, properties: Record<string, Schema>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [, name = '', word = ''] of text.matchAll(pair)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const value = schema && typed(word, schema);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function typed(word: string, schema: Schema): unknown {
  const text = word.startsWith('"') ? unquoted(word) : word;
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices.find((choice) => String(choice).toLowerCase() === text.toLowerCase());
  switch (schema['type']) {
    case 'string':
      return text;
    case 'integer':
    case 'number': {
      const number = /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
      return Number.isNaN(number) || (schema['type'] === 'integer' && !Number.isInteger(number)) ? undefined : number;
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    default:
      return undefined;
  }
}

function unquoted(word: string): string {
  try {
    return String(JSON.parse(word));
  } catch {
    return word.slice(1, -1);
  }
}

/** The first object of JSON in it, if all its members are arguments. */
function written(text: string, properties: Record<string, Schema>): Record<string, unknown> {
  const at = text.indexOf('{');
  if (at === -1) return {};
  try {
    const { value } = readJsonAt(text, at);
    const members = record(value);
    return Object.keys(members).every((name) => Object.hasOwn(properties, name)) ? members : {};
  } catch (error) {
    if (error instanceof JsonMistake) return {};
    throw error;
  }
}

export function isText(schema: Schema): boolean {
  return schema['type'] === 'string' && schema['enum'] === undefined && schema['format'] === undefined;
}

function record(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

// Unions: one of several schemas, chosen by the reader, or found by what the value holds.
import { humanized } from '#contract/wire/wording.ts';
import { isObject, type JsonSchema, listOf, memberOf, merge, resolve, textOf, typesOf } from './schema.ts';

/** One value of an enumeration. */
export interface Option {
  value: unknown;
  label: string;
}

export interface Branch {
  label: string;
  schema: JsonSchema;
}

const DRAWN = ['properties', 'type', 'const', 'enum', 'items', 'prefixItems', '$ref', 'anyOf', 'oneOf', 'additionalProperties', 'allOf'];

/** The values of an enumeration, or of constants side by side, with their titles. */
export function constantsOf(schema: JsonSchema, root: JsonSchema): Option[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.map((value, at) => ({ value, label: titleAt(schema, value, at) ?? shown(value) }));
  const all = [schema.oneOf, schema.anyOf].find(Array.isArray)?.map((one) => resolve(one, root));
  if (!all || all.length === 0 || !all.every((one) => 'const' in one)) return undefined;
  return all.map((one) => ({ value: one.const, label: textOf(one.title) ?? textOf(one.description) ?? shown(one.const) }));
}

/** `x-enumNames`, `enumNames`, `x-enum-descriptions`: a list, or a title for each value. */
function titleAt(schema: JsonSchema, value: unknown, at: number): string | undefined {
  const names = schema['x-enumNames'] ?? schema.enumNames ?? schema['x-enum-varnames'];
  return Array.isArray(names) ? textOf(names[at]) : textOf(memberOf(names, String(value)));
}

/**
 * undefined: there is nothing to choose between. A union that only says what goes together is left to the
 * check.
 */
export function branchesOf(schema: JsonSchema, root: JsonSchema): Branch[] | undefined {
  const types = typesOf(schema);
  const keyword = Array.isArray(schema.oneOf) ? 'oneOf' : 'anyOf';
  const { [keyword]: union, ...own } = schema;
  if (Array.isArray(union) && union.some((one) => isObject(one) && DRAWN.some((word) => word in one))) {
    const branches = union.map((one) => merge(withoutTitle(own), resolve(one, root)));
    return branches.map((branch, at) => ({ schema: branch, label: labelOf(union[at], branch, branches, root) ?? `Option ${at + 1}` }));
  }
  if (types.length > 1) return types.map((type) => ({ label: TYPE_LABELS[type] ?? type, schema: { ...schema, type } }));
  return undefined;
}

function withoutTitle({ title: _title, description: _description, default: _usual, examples: _examples, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

const TYPE_LABELS: Record<string, string> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'yes or no',
  array: 'list',
  object: 'several fields',
  null: 'no value',
};

function labelOf(given: unknown, branch: JsonSchema, all: readonly JsonSchema[], root: JsonSchema): string | undefined {
  const title = textOf(branch.title);
  if (title) return title;
  const marks = discriminators(branch, root).map(([, value]) => shown(value));
  if (marks.length > 0) return marks.join(', ');
  const reference = textOf(memberOf(given, '$ref'))?.split('/').at(-1);
  if (reference && reference !== '#') return reference;
  if ('const' in branch) return shown(branch.const);
  const [type] = typesOf(branch);
  const isOnly = all.filter((other) => typesOf(other)[0] === type).length === 1;
  if (type !== undefined && isOnly) return TYPE_LABELS[type] ?? type;
  const names = listOf(branch.required).map(String);
  return names.length > 0 ? `With ${names.slice(0, 3).map(humanized).join(', ')}` : textOf(branch.format);
}

/** Members that have one value only: they tell which branch a value is of. */
function discriminators(branch: JsonSchema, root: JsonSchema): [string, unknown][] {
  const { properties } = branch;
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, member]): [string, unknown][] => {
    const resolved = resolve(member, root);
    if ('const' in resolved) return [[name, resolved.const]];
    return Array.isArray(resolved.enum) && resolved.enum.length === 1 ? [[name, resolved.enum[0]]] : [];
  });
}

/** Which branch a value is of, by its type, its constants and its members; the first if that is unclear. */
export function branchOf(branches: readonly Branch[], value: unknown, root: JsonSchema): number {
  if (value === undefined) return 0;
  const scores = branches.map(({ schema }) => fit(schema, value, root));
  return scores.indexOf(Math.max(...scores));
}

const MAX_DEPTH = 3;

/** Greater: fits better; below 0: cannot be. */
function fit(given: unknown, value: unknown, root: JsonSchema, depth = 0): number {
  const schema = resolve(given, root);
  if ('const' in schema) return same(schema.const, value) ? 20 : -20;
  if (Array.isArray(schema.enum)) return schema.enum.some((one) => same(one, value)) ? 20 : -20;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return -100;
  const choices = [schema.oneOf, schema.anyOf].find(Array.isArray);
  if (choices && depth < MAX_DEPTH && !isObject(schema.properties)) return Math.max(...choices.map((one) => fit(one, value, root, depth + 1)));
  if (isObject(value) && isObject(schema.properties) && depth < MAX_DEPTH) return membersFit(schema, value, root, depth);
  if (Array.isArray(value) && value.length > 0 && isObject(schema.items) && depth < MAX_DEPTH) return 5 + fit(schema.items, value[0], root, depth + 1) / 10;
  return types.length > 0 ? 5 : 0;
}

function membersFit(schema: JsonSchema, value: Record<string, unknown>, root: JsonSchema, depth: number): number {
  const missing = listOf(schema.required).filter((name) => !Object.hasOwn(value, String(name))).length;
  const scores = Object.entries(value).map(([name, member]) => {
    const one = memberOf(schema.properties, name);
    if (one === undefined) return schema.additionalProperties === false ? -10 : -1;
    return 2 + fit(one, member, root, depth + 1) / 2;
  });
  return 5 + scores.reduce((sum, score) => sum + score, 0) - missing;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

export function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

export function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

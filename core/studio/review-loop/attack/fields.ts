// The arguments of a skill that can carry something: found in its JSON Schema, set in its example.
import { exampleOf } from '#contract/wire/example.ts';
import { pointerTo } from '#contract/wire/json-pointer.ts';
import { GRANTED_FOLDER, NOTES } from './case.ts';

type Schema = Record<string, unknown>;

export interface SchemaField {
  /** Names of members from the top. */
  path: string[];
  schema: Schema;
}

export interface Fields {
  /** Free text: no list of words, no fixed form. */
  texts: SchemaField[];
  numbers: SchemaField[];
  booleans: SchemaField[];
  /** One of a list of words. */
  words: SchemaField[];
  lists: SchemaField[];
}

const MAX_DEPTH = 3;
const MAX_FIELDS = 24;
const PATH_NAME = /path|file|folder|doc|dir|uri|source|note/i;

export function schemaFields(schema: Schema): Fields {
  const fields: Fields = { texts: [], numbers: [], booleans: [], words: [], lists: [] };
  collect(schema, [], fields);
  return fields;
}

function collect(schema: Schema, path: string[], into: Fields): void {
  const { properties } = schema;
  if (!isSchema(properties) || path.length > MAX_DEPTH) return;
  for (const [name, member] of Object.entries(properties).slice(0, MAX_FIELDS)) {
    if (!isSchema(member)) continue;
    const own = unwrapped(member);
    const field = { path: [...path, name], schema: own };
    const [type] = [own['type']].flat();
    if (own['const'] !== undefined) continue;
    if (Array.isArray(own['enum'])) into.words.push(field);
    else if (type === 'string' && (own['format'] === undefined || own['format'] === 'uri')) into.texts.push(field);
    else if (type === 'number' || type === 'integer') into.numbers.push(field);
    else if (type === 'boolean') into.booleans.push(field);
    else if (type === 'array') into.lists.push(field);
    else if (type === 'object') collect(own, field.path, into);
    else if (type === undefined) into.texts.push(field);
  }
}

/** Of "X or null" X. */
function unwrapped(schema: Schema): Schema {
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray);
  const [first] = (choices ?? []).filter((one: unknown) => isSchema(one) && one['type'] !== 'null');
  return isSchema(first) ? first : schema;
}

export const pointerOf = ({ path }: SchemaField): string => pointerTo(path);

export const looksLikePath = ({ path }: SchemaField): boolean => PATH_NAME.test(path.at(-1) ?? '');

/** What an ordinary caller sends; where a text is a path by its name, a file of the disposable scope. */
export function ordinaryArgs(schema: Schema, workspace: boolean): Record<string, unknown> {
  const args = exampleOf(schema);
  if (!workspace) return args;
  return schemaFields(schema)
    .texts.filter(looksLikePath)
    .reduce((made, field) => withValue(made, field.path, `${GRANTED_FOLDER}/${NOTES}`), args);
}

/** A copy of the arguments with the value at the path; objects on the way are made. */
export function withValue(args: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  const inner = args[name];
  const next = rest.length === 0 ? value : withValue(isSchema(inner) ? inner : {}, rest, value);
  // Only own members: a name may be __proto__.
  return Object.fromEntries([...Object.entries(args).filter(([key]) => key !== name), [name, next]]);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

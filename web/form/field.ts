// What a schema is drawn as: one level; members and items are read when they are drawn.
import { type Branch, branchesOf, constantsOf, type Option } from './branches.ts';
import { isObject, type JsonSchema, listOf, memberOf, resolve, textOf, typesOf } from './schema.ts';
import { type TextLook, textLook } from './text-look.ts';

interface Common {
  title: string | undefined;
  description: string | undefined;
  /** null is a value, too. */
  nullable: boolean;
  readOnly: boolean;
  /** undefined: none; null is one. */
  usual: unknown;
  /** Shown where nothing is typed. */
  example: unknown;
  schema: JsonSchema;
}

interface Member {
  name: string;
  schema: unknown;
  required: boolean;
}

export type Field = Common &
  (
    | ({ kind: 'text' } & TextLook)
    | { kind: 'file'; as: 'base64' | 'data-url'; accept: string | undefined }
    | { kind: 'number'; integer: boolean; min: number | undefined; max: number | undefined; step: number | undefined }
    | { kind: 'boolean' }
    | { kind: 'constant'; value: unknown }
    | { kind: 'choice'; options: Option[] }
    | { kind: 'several'; options: Option[] }
    | { kind: 'union'; branches: Branch[] }
    | { kind: 'object'; members: Member[]; extra: JsonSchema | undefined }
    | { kind: 'list'; prefix: unknown[]; items: unknown; min: number; max: number }
    | { kind: 'json' }
  );

type Shape = Field extends infer F ? (F extends Field ? Omit<F, keyof Common> : never) : never;

/** @param root where references begin */
export function fieldOf(given: unknown, root: JsonSchema): Field {
  const outer = resolve(given, root);
  const { schema, nullable } = isAnything(outer, root) ? { schema: anything(outer), nullable: false } : withoutNull(outer, root);
  const examples = listOf(schema.examples ?? outer.examples);
  const common: Common = {
    title: textOf(outer.title) ?? textOf(schema.title),
    description: textOf(outer.description) ?? textOf(schema.description),
    nullable,
    readOnly: outer.readOnly === true || schema.readOnly === true,
    usual: 'default' in outer ? outer.default : schema.default,
    example: examples[0],
    schema,
  };
  return withShape(common, shapeOf(schema, root));
}

// Safe: each shape has all members of its kind, and Common the others.
function withShape(common: Common, shape: Shape): Field {
  return { ...common, ...shape } as Field;
}

function shapeOf(schema: JsonSchema, root: JsonSchema): Shape {
  if ('const' in schema) return { kind: 'constant', value: schema.const };
  const constants = constantsOf(schema, root);
  if (constants) return constants.length === 1 ? { kind: 'constant', value: constants[0]?.value } : { kind: 'choice', options: constants };
  const branches = branchesOf(schema, root);
  if (branches) return { kind: 'union', branches };
  switch (typeOf(schema)) {
    case 'string':
      return stringShape(schema);
    case 'number':
    case 'integer':
      return numberShape(schema, typeOf(schema) === 'integer');
    case 'boolean':
      return { kind: 'boolean' };
    case 'null':
      return { kind: 'constant', value: null };
    case 'array':
      return listShape(schema, root);
    case 'object':
      return objectShape(schema);
    default:
      return { kind: 'json' };
  }
}

/** The one type; where none is named, what its keywords tell. */
function typeOf(schema: JsonSchema): string | undefined {
  const types = typesOf(schema);
  if (types.length > 0) return types[0];
  if ('properties' in schema || 'patternProperties' in schema || isObject(schema.additionalProperties)) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if ('pattern' in schema || 'maxLength' in schema || 'minLength' in schema || 'contentEncoding' in schema) return 'string';
  return 'minimum' in schema || 'maximum' in schema || 'multipleOf' in schema ? 'number' : undefined;
}

const ALL_TYPES = ['string', 'boolean', 'array', 'object'];

/** A union of all that JSON has says nothing: it is typed as JSON. */
function isAnything(schema: JsonSchema, root: JsonSchema): boolean {
  const union = [schema.anyOf, schema.oneOf].find(Array.isArray);
  const types = union ? union.flatMap((one) => typesOf(resolve(one, root))) : typesOf(schema);
  return ALL_TYPES.every((type) => types.includes(type)) && !('properties' in schema) && !('enum' in schema);
}

function anything({ anyOf: _anyOf, oneOf: _oneOf, type: _type, ...rest }: JsonSchema): JsonSchema {
  return { ...rest };
}

/** "X or null", written as a union, a list of types or an enumeration. */
function withoutNull(schema: JsonSchema, root: JsonSchema): { schema: JsonSchema; nullable: boolean } {
  const types = typesOf(schema);
  if (types.length > 1 && types.includes('null')) {
    const rest = types.filter((type) => type !== 'null');
    const words = Array.isArray(schema.enum) ? { enum: schema.enum.filter((one) => one !== null) } : {};
    return { schema: { ...schema, ...words, type: rest.length === 1 ? rest[0] : rest }, nullable: true };
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const all = schema[keyword];
    if (!Array.isArray(all)) continue;
    const others = all.filter((one) => !isNull(resolve(one, root)));
    if (others.length === all.length || others.length === 0) continue;
    const { [keyword]: _union, ...own } = schema;
    return { schema: resolve(others.length === 1 ? { allOf: [others[0], own] } : { ...own, [keyword]: others }, root), nullable: true };
  }
  if (Array.isArray(schema.enum) && schema.enum.length > 1 && schema.enum.includes(null))
    return { schema: { ...schema, enum: schema.enum.filter((one) => one !== null) }, nullable: true };
  return { schema, nullable: false };
}

function isNull(schema: JsonSchema): boolean {
  return schema.type === 'null' || ('const' in schema && schema.const === null);
}

function stringShape(schema: JsonSchema): Shape {
  const { format, contentEncoding, contentMediaType } = schema;
  const accept = textOf(contentMediaType) ?? textOf(schema.accept);
  if (format === 'data-url' || format === 'data-uri') return { kind: 'file', as: 'data-url', accept };
  if (format === 'binary' || format === 'byte' || contentEncoding === 'base64') return { kind: 'file', as: 'base64', accept };
  return { kind: 'text', ...textLook(schema) };
}

function numberShape(schema: JsonSchema, integer: boolean): Shape {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  // A whole number's limits that say no more than that a computer can hold it.
  const meant = (limit: unknown): number | undefined => (typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER ? limit : undefined);
  const [low, high] = [meant(exclusiveMinimum), meant(exclusiveMaximum)];
  return {
    kind: 'number',
    integer,
    min: meant(minimum) ?? (integer && low !== undefined ? Math.floor(low) + 1 : low),
    max: meant(maximum) ?? (integer && high !== undefined ? Math.ceil(high) - 1 : high),
    step: typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : undefined,
  };
}

const MOST_ITEMS = 1000;

function listShape(schema: JsonSchema, root: JsonSchema): Shape {
  const items = schema.items ?? (Array.isArray(schema.prefixItems) ? undefined : {});
  const prefix = listOf(schema.prefixItems);
  const [min, max] = [schema.minItems, schema.maxItems];
  const item = resolve(items, root);
  const options = prefix.length === 0 && isObject(items) ? constantsOf(item, root) : undefined;
  if (options && options.length > 1 && schema.uniqueItems === true) return { kind: 'several', options };
  const most = items === false || items === undefined ? prefix.length : MOST_ITEMS;
  return {
    kind: 'list',
    prefix,
    items: items ?? false,
    min: typeof min === 'number' ? min : 0,
    max: Math.min(most, typeof max === 'number' ? max : most),
  };
}

function objectShape(schema: JsonSchema): Shape {
  const required = new Set(listOf(schema.required));
  // Members that a condition brings along are drawn, too; whether they must be there is checked.
  const conditional = [schema.then, schema.else, ...Object.values(isObject(schema.dependentSchemas) ? schema.dependentSchemas : {})];
  const all = new Map<string, unknown>();
  for (const part of [schema, ...conditional])
    for (const [name, member] of Object.entries(propertiesOf(part))) if (!all.has(name) && member !== false) all.set(name, member);
  for (const name of required) if (typeof name === 'string' && !all.has(name)) all.set(name, {});
  const members = [...all].map(([name, member]) => ({ name, schema: member, required: required.has(name) }));
  return { kind: 'object', members, extra: extraOf(schema, members.length > 0) };
}

function propertiesOf(part: unknown): Record<string, unknown> {
  const properties = memberOf(part, 'properties');
  return isObject(properties) ? properties : {};
}

/**
 * What members have that the schema does not name; undefined: there are none, or a form need not offer them.
 */
function extraOf({ additionalProperties, patternProperties, unevaluatedProperties }: JsonSchema, named: boolean): JsonSchema | undefined {
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
  const [pattern] = patterns;
  if (isObject(additionalProperties)) return additionalProperties;
  if (isObject(pattern)) return pattern;
  if (additionalProperties === true) return {};
  return named || additionalProperties === false || unevaluatedProperties === false ? undefined : {};
}

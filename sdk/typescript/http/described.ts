// Operations of an application's own OpenAPI description. It is the author's, so that what is missing is left
// out and nothing is guessed; `svc openapi generate` reads those of others, with all they may contain.
import type { HttpOperation } from '../../../contract/wire/http-operation.ts';
import { atReference } from '../../../contract/wire/json-pointer.ts';
import type { JsonSchema } from '../authoring/schema.ts';

export interface DescribedOperation extends HttpOperation {
  /** A name that a skill may have. */
  name: string;
  description: string;
  tags?: readonly string[];
  input: JsonSchema;
  output?: JsonSchema;
}

export interface Described {
  operations: readonly DescribedOperation[];
  /** What schemas refer to as `#/$defs/<name>`. */
  schemas: Readonly<Record<string, JsonSchema>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];
const MAX_NAME = 64;
/** Their values are no schemas. */
const LITERAL = new Set(['enum', 'const', 'default', 'example', 'examples']);

type Members = Record<string, unknown>;

interface Source {
  document: object;
  /** 3.0 writes some keywords otherwise than JSON Schema. */
  is30: boolean;
}

/** @throws Error that says what is not understood */
export function describedIn(document: object): Described {
  const { openapi, swagger, paths, components } = record(document);
  if (swagger !== undefined) throw new Error('Swagger 2.0 is not read here: write the description as OpenAPI 3.0 or 3.1');
  const version = String(openapi ?? '');
  if (openapi !== undefined && !/^3\.[01](?:\.|$)/.test(version)) throw new Error(`OpenAPI ${version} is not read here: write it as 3.0 or 3.1`);
  const source = { document, is30: version.startsWith('3.0') };
  refuseOtherFiles(document);
  const operations = Object.entries(record(paths)).flatMap(([path, given]) => {
    const item = dereference(source, given);
    return METHODS.flatMap((method) => (item[method] === undefined ? [] : [operationOf(source, { method, path, item })]));
  });
  const schemas = record(record(components)['schemas']);
  return {
    operations: withNamesOfTheirOwn(operations),
    schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaOf(source, schema)])),
  };
}

function operationOf(source: Source, { method, path, item }: { method: string; path: string; item: Members }): DescribedOperation {
  const operation = record(item[method]);
  const listed = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map((one) => dereference(source, one));
  // An operation's own goes before that of its path.
  const parameters = [...new Map(listed.map((one) => [`${String(one['in'])}:${String(one['name'])}`, one])).values()].filter(isSent);
  const requestBody = dereference(source, operation['requestBody']);
  const body = bodyOf(source, requestBody);
  const taken = new Set<string>(body ? ['body'] : []);
  const given = parameters.map((one) => ({ one, ...argumentOf(one, taken) }));
  const responses = record(operation['responses']);
  const answer = Object.keys(responses).find((status) => status.startsWith('2'));
  const output = answer === undefined ? undefined : jsonIn(source, dereference(source, responses[answer]));
  const properties = { ...Object.fromEntries(given.map(({ one, argument }) => [argument, describedAs(source, one)])), ...(body && { body: body.schema }) };
  const required = [
    ...given.flatMap(({ one, argument }) => (one['required'] === true || one['in'] === 'path' ? [argument] : [])),
    ...(body && requestBody['required'] === true ? ['body'] : []),
  ];
  const { operationId, summary, description } = operation;
  const tags = listOf(operation['tags']).map(String);
  return {
    name: nameOf(String(operationId ?? `${method}${path}`)),
    description: String(summary ?? description ?? `${method.toUpperCase()} ${path}`),
    at: `${method.toUpperCase()} ${path}`,
    parameters: given.map(({ parameter }) => parameter),
    ...(tags.length > 0 && { tags }),
    ...(body && { body: { type: body.type } }),
    input: { type: 'object', properties, required },
    ...(output && { output }),
  };
}

type Parameter = NonNullable<HttpOperation['parameters']>[number];

const isSent = (one: Members): boolean => one['in'] === 'path' || one['in'] === 'query' || one['in'] === 'header';

/** Under its own name, or with its place before it where that is another's. */
function argumentOf(one: Members, taken: Set<string>): { argument: string; parameter: Parameter } {
  const name = String(one['name']);
  const argument = taken.has(name) ? `${String(one['in'])}_${name}` : name;
  taken.add(argument);
  // Safe: isSent let only these places through; style and explode are as the description has them, and the
  // request checks them.
  const parameter = {
    name,
    in: one['in'],
    ...(argument !== name && { argument }),
    ...(one['style'] !== undefined && { style: one['style'] }),
    ...(typeof one['explode'] === 'boolean' && { explode: one['explode'] }),
    ...(one['content'] !== undefined && { json: true }),
  } as Parameter;
  return { argument, parameter };
}

function describedAs(source: Source, { schema, content, description }: Members): JsonSchema {
  const [of] = Object.values(record(content));
  return { ...schemaOf(source, schema ?? record(of)['schema']), ...(description !== undefined && { description }) };
}

/** JSON where there is some, else a form. */
function bodyOf(source: Source, requestBody: Members): { type: string; schema: JsonSchema } | undefined {
  const content = record(requestBody['content']);
  const type = jsonType(content) ?? FORMS.find((form) => content[form] !== undefined);
  return type === undefined ? undefined : { type, schema: schemaOf(source, record(content[type])['schema']) };
}

function jsonIn(source: Source, of: Members): JsonSchema | undefined {
  const content = record(of['content']);
  const type = jsonType(content);
  const { schema } = record(type === undefined ? undefined : content[type]);
  return schema === undefined ? undefined : schemaOf(source, schema);
}

function jsonType(content: Members): string | undefined {
  return Object.keys(content).find((type) => /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i.test(type));
}

/** Behind a `$ref` into the document. */
function dereference({ document }: Source, value: unknown): Members {
  const { $ref } = record(value);
  if (typeof $ref !== 'string') return record(value);
  return record(atReference(document, $ref));
}

/** As JSON Schema, with its definitions where a skill's schema has them. */
function schemaOf({ is30 }: Source, value: unknown): JsonSchema {
  const moved: unknown = JSON.parse(JSON.stringify(value ?? {}).replaceAll('"#/components/schemas/', '"#/$defs/'));
  return record(is30 ? from30(moved) : moved);
}

function from30(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(from30);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, exclusiveMinimum, exclusiveMaximum, ...rest } = record(value);
  const schema: Members = Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, LITERAL.has(key) ? member : from30(member)]));
  const bound = (name: 'minimum' | 'maximum', exclusive: unknown): Members => {
    if (exclusive === true) return { [`exclusive${name === 'minimum' ? 'Minimum' : 'Maximum'}`]: schema[name] };
    return exclusive === undefined || exclusive === false ? {} : { [`exclusive${name === 'minimum' ? 'Minimum' : 'Maximum'}`]: from30(exclusive) };
  };
  Object.assign(schema, bound('minimum', exclusiveMinimum), bound('maximum', exclusiveMaximum));
  if (nullable === true) return orNull(schema);
  return nullable === undefined || nullable === false ? schema : { ...schema, nullable: from30(nullable) };
}

function orNull(schema: Members): Members {
  if (Array.isArray(schema['enum'])) return { anyOf: [schema, { type: 'null' }] };
  return typeof schema['type'] === 'string' ? { ...schema, type: [schema['type'], 'null'] } : { anyOf: [schema, { type: 'null' }] };
}

/** @throws Error */
function refuseOtherFiles(document: object): void {
  const other = /"\$ref":"(?!#\/)([^"]*)"/.exec(JSON.stringify(document))?.[1];
  if (other !== undefined) throw new Error(`it refers to ${other}: bring the description into one file first (redocly bundle, swagger-cli bundle)`);
}

function nameOf(text: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/_$/, '')
    .replace(/^(?![A-Za-z])/, 'op_');
  return name.slice(0, MAX_NAME);
}

function withNamesOfTheirOwn(operations: readonly DescribedOperation[]): DescribedOperation[] {
  const taken = new Set<string>();
  return operations.map((one) => {
    let name = one.name;
    for (let number = 2; taken.has(name); number += 1) name = `${one.name.slice(0, MAX_NAME - 4)}_${number}`;
    taken.add(name);
    return { ...one, name };
  });
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function record(value: unknown): Members {
  // Safe: its members are read as unknown.
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

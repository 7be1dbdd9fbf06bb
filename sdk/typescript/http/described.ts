// Operations of an application's own OpenAPI description. It is the author's, so that what is missing is left out and nothing is guessed;
// `svc openapi generate` reads those of others, with all they may contain.
import { record } from '../report.ts';
import type { Described } from '../express.ts';
import type { JsonSchema } from '../shared.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const JSON_TYPE = 'application/json';
type Operation = Described['operations'][number];

export function describedIn(document: object): Described {
  const { paths, components } = record(document);
  const operations = Object.entries(record(paths)).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const said = record(item)[method];
      return said === undefined ? [] : [operationOf(document, { method, path, shared: record(item)['parameters'], said: record(said) })];
    }),
  );
  const schemas = record(record(components)['schemas']);
  return { operations, schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, record(moved(schema))])) };
}

interface Said {
  method: string;
  path: string;
  shared: unknown;
  said: Record<string, unknown>;
}

function operationOf(document: object, { method, path, shared, said }: Said): Operation {
  const listed = [shared, said['parameters']].flatMap((list): unknown[] => (Array.isArray(list) ? list : [])).map((one) => found(document, one));
  const parameters = listed.filter((one) => one['in'] === 'path' || one['in'] === 'query' || one['in'] === 'header');
  const requestBody = found(document, said['requestBody']);
  const body = schemaIn(requestBody);
  const responses = record(said['responses']);
  const answer = Object.keys(responses).find((status) => status.startsWith('2'));
  const output = answer === undefined ? undefined : schemaIn(found(document, responses[answer]));
  const properties = {
    ...Object.fromEntries(parameters.map((one) => [String(one['name']), described(one)])),
    ...(body && { body }),
  };
  const required = [
    ...parameters.filter((one) => one['required'] === true).map((one) => String(one['name'])),
    ...(body && requestBody['required'] === true ? ['body'] : []),
  ];
  const { operationId, summary, description } = said;
  return {
    name: String(operationId ?? `${method}${path}`)
      .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/_$/, '')
      .slice(0, 64),
    description: String(summary ?? description ?? `${method.toUpperCase()} ${path}`),
    at: `${method.toUpperCase()} ${path}`,
    // Safe: the others are filtered out above.
    parameters: parameters.map((one) => ({ name: String(one['name']), in: one['in'] as 'path' | 'query' | 'header' })),
    ...(body && { body: { type: JSON_TYPE } }),
    input: { type: 'object', properties, required },
    ...(output && { output }),
  };
}

function described({ schema, description }: Record<string, unknown>): JsonSchema {
  return { ...record(moved(schema)), ...(description !== undefined && { description }) };
}

function schemaIn(of: Record<string, unknown>): JsonSchema | undefined {
  const { schema } = record(record(of['content'])[JSON_TYPE]);
  return schema === undefined ? undefined : record(moved(schema));
}

/** Behind a `$ref` into the document. */
function found(document: object, value: unknown): Record<string, unknown> {
  const { $ref } = record(value);
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return record(value);
  return record(
    $ref
      .slice(2)
      .split('/')
      .reduce((at: unknown, part) => record(at)[part.replaceAll('~1', '/').replaceAll('~0', '~')], document),
  );
}

/** With its definitions where a skill's schema has them. */
function moved(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? {}).replaceAll('"#/components/schemas/', '"#/$defs/'));
}

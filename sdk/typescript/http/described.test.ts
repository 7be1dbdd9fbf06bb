// An author's own OpenAPI description as operations: what callers give, how it is sent, and what is not
// understood.
import { expect, test } from 'vitest';
import { modelOf } from '../../../contract/wire/arguments.ts';
import { describedIn } from './described.ts';
import { withDefinitions } from './schemas.ts';

const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
const only = (paths: object, more: object = {}) => describedIn({ openapi: '3.1.0', paths, ...more });

test('an operation has its path’s parameters and its own, which go first', () => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const { operations } = only(
    {
      '/pets/{id}': {
        parameters: [id, { name: 'lang', in: 'query', schema: { type: 'string' } }],
        get: { operationId: 'pet', tags: ['pets'], parameters: [{ name: 'lang', in: 'query', required: true, schema: { enum: ['de'] } }], responses: {} },
      },
    },
    {},
  );
  expect(operations).toEqual([
    {
      name: 'pet',
      description: 'GET /pets/{id}',
      tags: ['pets'],
      at: 'GET /pets/{id}',
      parameters: [
        { name: 'id', in: 'path' },
        { name: 'lang', in: 'query' },
      ],
      input: { type: 'object', properties: { id: { type: 'string' }, lang: { enum: ['de'] } }, required: ['id', 'lang'] },
    },
  ]);
});

test('parameters of one name, or named as the body is, get arguments of their own', () => {
  const parameters = ['path', 'query', 'header'].map((at) => ({ name: 'id', in: at, schema: {} }));
  const post = { parameters: [...parameters, { name: 'body', in: 'query', schema: {} }], requestBody: { required: true, ...json({ type: 'object' }) } };
  const [operation] = only({ '/a/{id}': { post } }).operations;
  expect(operation?.parameters?.map(({ argument }) => argument)).toEqual([undefined, 'query_id', 'header_id', 'query_body']);
  expect(operation?.input).toMatchObject({ required: ['id', 'body'] });
});

test('names are those that skills may have, each once', () => {
  const get = { responses: {} };
  const { operations } = only({
    '/a': { get: { ...get, operationId: 'list' }, post: { ...get, operationId: 'list' } },
    '/b/{id}/c.d': { get },
    '/e': { get: { ...get, operationId: '1st of all' } },
  });
  expect(operations.map(({ name }) => name)).toEqual(['list', 'list_2', 'get_b_id_c_d', 'op_1st_of_all']);
});

test('JSON goes before forms; what has neither has no body', () => {
  const body = (types: readonly string[]) => ({ requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'object' } }])) } });
  const paths = {
    '/a': { post: body(['multipart/form-data', 'application/vnd.a+json; charset=utf-8']), put: body(['application/x-www-form-urlencoded']) },
    '/b': { post: body(['application/pdf']) },
  };
  expect(only(paths).operations.map((one) => one.body?.type)).toEqual([
    'application/vnd.a+json; charset=utf-8',
    'application/x-www-form-urlencoded',
    undefined,
  ]);
});

test('what OpenAPI 3.0 writes in its own way is JSON Schema', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', nullable: true },
      kind: { type: 'string', enum: ['a'], nullable: true },
      amount: { type: 'number', minimum: 0, exclusiveMinimum: true },
      nullable: { type: 'boolean' },
      parent: { nullable: true, allOf: [{ $ref: '#/components/schemas/Thing' }] },
    },
    required: ['name', 'kind', 'amount', 'nullable'],
    example: { nullable: true },
  };
  const { operations, schemas } = describedIn({
    openapi: '3.0.3',
    paths: { '/a': { get: { responses: { 200: json({ $ref: '#/components/schemas/Thing' }) } } } },
    components: { schemas: { Thing: schema } },
  });
  const model = modelOf(withDefinitions(operations[0]?.output ?? {}, schemas));
  const thing = { name: null, kind: null, amount: 1, nullable: true };
  expect(model.safeParse({ ...thing, parent: { ...thing, parent: null } }).success).toBe(true);
  expect(model.safeParse({ ...thing, amount: 0 }).success).toBe(false);
  expect(model.safeParse({ ...thing, name: 1 }).success).toBe(false);
  expect(model.safeParse({ ...thing, nullable: null }).success).toBe(false);
});

test.each([
  [{ swagger: '2.0', paths: {} }, 'Swagger 2.0'],
  [{ openapi: '4.0.0', paths: {} }, 'OpenAPI 4.0.0'],
  [{ openapi: '3.1.0', paths: { '/a': { $ref: './a.yaml#/a' } } }, 'refers to ./a.yaml#/a: bring the description into one file'],
])('%j is refused with what to do', (document, message) => {
  expect(() => describedIn(document)).toThrow(message);
});

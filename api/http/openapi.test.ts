// The document is checked against the published meta schema of OpenAPI 3.1 by
// @seriousme/openapi-schema-validator (MIT, maintained).
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { API_VERSION } from '#contract/api-version.ts';
import { contract } from '#contract/index.ts';
import { routesOf } from '#contract/inventory.ts';
import { bytes, eventStream, group, isSchema, multipart } from '#contract/kit.ts';
import { fingerprint, openApiDocument } from './openapi.ts';
import { cites } from '#test/spec/verifies.ts';

const Schema = z.object({ required: z.array(z.string()).optional(), properties: z.record(z.string(), z.unknown()).optional(), propertyNames: z.unknown() });
const Parameters = z.array(z.looseObject({ name: z.string() }));

const toDocument = (groups: Parameters<typeof openApiDocument>[0]) => {
  const document = openApiDocument(groups, 'http://localhost:8080');
  const shape = z.object({
    paths: z.record(z.string(), z.record(z.string(), z.looseObject({}))),
    components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }),
  });
  return { document, ...shape.parse(document) };
};

test('the document is valid OpenAPI 3.1.0 and names every declared route once', cites('openapi.document'), async () => {
  const { document, paths } = toDocument(contract);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Control Plane', version: API_VERSION } });
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map((operation) => operation.operationId));
  expect(ids.sort()).toEqual(
    routesOf(contract)
      .map(({ id }) => id)
      .sort(),
  );
});

test('nothing in it is what client generators leave out: schemas that refer to themselves without a name, ranges of media types', () => {
  const text = JSON.stringify(toDocument(contract).document);
  expect(text).not.toContain('__schema');
  expect(text).not.toContain('"*/*"');
  const Tree = z.object({ get below() { return z.array(Tree); } });
  expect(() => toDocument({ toy: group({ get: { at: 'GET /v1/toy', summary: '', scope: 'public', out: Tree, errors: [] } }) })).toThrow(/has no id/);
}); // prettier-ignore

test('the members that the specification lets be null, and the cookie of a confirmation, stand in it', () => {
  const { paths } = toDocument(contract);
  const named = (at: string, method: string, name: string) => Parameters.parse(paths[at]?.[method]?.['parameters'] ?? []).find((one) => one.name === name);
  const nullable = [
    ['/v1/auth/oidc/start', 'get', 'redirect_to'],
    ['/v1/auth/oidc/start', 'get', 'login_hint'],
    ['/v1/auth/agent-session/authorize', 'get', 'next'],
    ['/v1/agents/search', 'get', 'tag'],
    ['/v1/agents/search', 'get', 'skill'],
    ['/v1/agents/{name}/openapi.json', 'get', 'integration_token'],
    ['/v1/agents/{name}/api/openapi.json', 'get', 'integration_token'],
    ...['post', 'put', 'patch', 'delete'].map((method) => ['/v1/agents/{name}/api/endpoints/{endpoint_name}', method, 'integration_token']),
  ] as const;
  for (const [at = '', method = '', name = ''] of nullable)
    expect(named(at, method, name), `${method} ${at} ${name}`).toMatchObject({ in: 'query', required: false, schema: { anyOf: [{}, { type: 'null' }] } });
  expect(named('/v1/auth/cli-session/confirm', 'post', '__Host-svc_cli_confirm')).toMatchObject({ in: 'cookie', required: false });
});

test('the examples of a body fit it: they show what one field demands of another', () => {
  const given = routesOf(contract).flatMap(({ id, spec: { body } }) => {
    if (body === undefined || !isSchema(body)) return [];
    const examples = z.array(z.unknown()).parse(z.globalRegistry.get(body)?.examples ?? []);
    return examples.map((example) => ({ id, fits: z.core.safeParse(body, example).error?.issues ?? [] }));
  });
  expect(given.length).toBeGreaterThan(15);
  expect(given.filter(({ fits }) => fits.length > 0)).toEqual([]);
});

test('no schema in it has several types, or requires what it does not name', () => {
  const { document } = toDocument(contract);
  expect(JSON.stringify(document)).not.toMatch(/"type":\[|"exclusiveM\w+":/);
  const unnamed: string[] = [];
  JSON.stringify(document, (_key, value: unknown) => {
    const { required = [], properties, propertyNames } = Schema.safeParse(value).data ?? {};
    if (propertyNames === undefined) unnamed.push(...required.filter((name) => !Object.hasOwn(properties ?? {}, name)));
    return value;
  });
  expect(unnamed).toEqual([]);
});

test('every tag and every operation is described', () => {
  const { document, paths } = toDocument(contract);
  const tags = z.array(z.object({ name: z.string(), description: z.string() })).parse(document['tags']);
  expect(tags.filter(({ description }) => description === '')).toEqual([]);
  const named = new Set(tags.map(({ name }) => name));
  const operations = z.array(z.object({ description: z.string().regex(/\S/), tags: z.array(z.string()).length(1) }));
  const used = operations.parse(Object.values(paths).flatMap((methods) => Object.values(methods))).flatMap((one) => one.tags);
  expect(used.filter((tag) => !named.has(tag))).toEqual([]);
});

test('every reference leads somewhere', () => {
  const { document, components } = toDocument(contract);
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? '');
  expect(refs.length).toBeGreaterThan(20);
  for (const name of refs) expect(Object.keys(components.schemas)).toContain(name);
});

test('a schema that reads differently as input and output is two components; nullable references stay references', () => {
  const Part = z.strictObject({ size: z.int().default(1) }).meta({ id: 'ToyPart' });
  const Whole = z
    .strictObject({
      part: Part.nullable(),
      get next() {
        return Whole.optional();
      },
    })
    .meta({ id: 'ToyWhole' });
  const Same = z.strictObject({ a: z.string() }).meta({ id: 'ToySame' });
  const toy = group({
    change: { at: 'PUT /v1/toy', summary: '', scope: 'account', body: Whole, out: z.strictObject({ whole: Whole, same: Same }), errors: [401, 403] },
    same: {
      at: 'POST /v1/toy',
      summary: '',
      scope: 'agent-token',
      query: z.object({ n: z.int().default(3), m: z.string() }),
      body: Same,
      status: 204,
      errors: [401, 403],
    },
    form: { at: 'POST /v1/toy/form', summary: '', scope: 'public', body: multipart(z.strictObject({ f: z.string() })), out: eventStream(Same), errors: [] },
    raw: {
      at: 'GET /v1/toy/{path:path}',
      summary: '',
      scope: 'optional',
      params: z.object({ path: z.string() }),
      out: bytes('image/png'),
      errors: [429],
      limit: 'code',
    },
  });
  const { paths, components } = toDocument({ toy });
  expect(Object.keys(components.schemas)).toEqual(['ErrorResponse', 'ScimError', 'ToyPart', 'ToyPartInput', 'ToySame', 'ToyWhole', 'ToyWholeInput']);
  expect(components.schemas.ToyWholeInput).toMatchObject({
    properties: { part: { anyOf: [{ $ref: '#/components/schemas/ToyPartInput' }, { type: 'null' }] }, next: { $ref: '#/components/schemas/ToyWholeInput' } },
  });
  expect(components.schemas.ToyPart).toMatchObject({ required: ['size'] });
  expect(paths['/v1/toy']?.put).toMatchObject({
    requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/ToyWholeInput' } } } },
  });
  expect(paths['/v1/toy']?.post).toMatchObject({
    parameters: [
      { name: 'n', required: false, schema: { default: 3 } },
      { name: 'm', required: true },
    ],
    security: [{ agentApiToken: [] }, { agentApiTokenHeader: [] }, { bearer: [] }],
    responses: {
      204: { description: 'Done; no content' },
      422: { content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } } },
    },
  });
  expect(paths['/v1/toy/{path}']?.get).toMatchObject({ responses: { 200: { content: { 'image/png': {} } }, 429: { headers: { 'Retry-After': {} } } } });
});

test('the fingerprint tells sets of routes apart, not their order', () => {
  const a = { at: 'GET /v1/a', scope: 'public' } as const;
  const b = { at: 'GET /v1/b', scope: 'public' } as const;
  expect(fingerprint([a, b])).toBe(fingerprint([b, a]));
  expect(fingerprint([a, { ...b, scope: 'account' }])).not.toBe(fingerprint([a, b]));
});

// The document is held against the published meta schema of OpenAPI 3.1 by @seriousme/openapi-schema-validator (MIT, maintained).
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { API_VERSION } from '#contract/api-version.ts';
import { contract } from '#contract/index.ts';
import { routesOf } from '#contract/inventory.ts';
import { bytes, eventStream, group, multipart } from '#contract/kit.ts';
import { fingerprint, openApiDocument } from './openapi.ts';
import { cites } from '#test/spec/verifies.ts';

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

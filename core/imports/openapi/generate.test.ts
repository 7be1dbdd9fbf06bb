// What a description becomes: names, schemas, credentials, servers, modes and limits.
import { Ajv2020 } from 'ajv/dist/2020.js'; // what clients check JSON Schema 2020-12 with
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { turnsDuring } from '#test/support/turns.ts';
import { withDefinitions } from '#sdk/typescript/http/schemas.ts';
import { BadDescription, isJsonObject, type Json, readOpenApiDocument } from './generate/document.ts';
import { generateInThread } from './generate/in-thread.ts';
import type { Plan } from './generate/model.ts';
import { operationNames } from './generate/names.ts';
import { planOf } from './test/agent.ts';
import { library } from './test/library.ts';

function inputsCompile(plan: Plan): void {
  const schemas = plan.schemas as Record<string, Json>;
  for (const { name, input } of plan.operations) {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    expect(() => ajv.compile(withDefinitions(input, schemas)), name).not.toThrow();
  }
}
const small = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  servers: [{ url: 'https://a.test' }],
  paths,
  ...more,
});
const reply = { responses: { 200: { description: 'ok' } } };

test('the library: all inputs compile, cycles and a member named $ref among them', () => {
  const plan = planOf(library);
  inputsCompile(plan);
  expect(plan).toMatchObject({ mode: 'each', total: 9, server: { url: 'https://api.library.test/v1', allowHosts: ['api.library.test'] } });
  expect(Object.keys(plan.schemas)).toEqual(['Book']);
  const book = plan.results['Book'];
  expect(isJsonObject(book) && isJsonObject(book['properties']) && Object.keys(book['properties'])).toEqual(['id', 'title', 'related', '$ref']);
  expect(JSON.stringify(plan)).not.toMatch(/x-internal|discriminator|"example"/);
});

test('credentials: only those that operations take, each with its place and its hosts', () => {
  const { security, defaultSecurity } = planOf(library);
  expect(defaultSecurity).toEqual([['key'], ['user', 'pin'], []]);
  expect(security.fields.map(({ name, inject }) => [name, inject?.as])).toEqual([
    ['key', 'header'],
    ['user_username', 'basic_username'],
    ['user_password', 'basic_password'],
    ['pin', 'query'],
  ]);
  const one = planOf({ ...library, security: [{ client: [] }], paths: { '/x': { get: reply } } });
  expect(one.security.fields).toMatchObject([
    {
      name: 'client_client_id',
      required: true,
      inject: { as: 'oauth2_client_id', token_url: 'https://login.library.test/token', hosts: ['api.library.test'] },
    },
    { name: 'client_client_secret', required: true },
  ]);
  expect(planOf(small({ '/x': { get: reply } }), { auth: 'header:X-Token' }).security.fields).toMatchObject([
    { name: 'auth', inject: { as: 'header', name: 'X-Token' } },
  ]);
  expect(planOf(small({ '/x': { get: reply } })).warnings.join()).toContain('says nothing of credentials');
});

test.each([
  [
    'https://{region}.a.test/{stage}',
    { region: { default: 'eu', enum: ['eu', 'us'] }, stage: { default: 'v1' } },
    'https://{region}.a.test/{stage}',
    ['eu.a.test', 'us.a.test'],
  ],
  ['https://{shop}.shops.test', { shop: { default: '' } }, 'https://{shop}.shops.test', ['*.shops.test']],
  ['https://{yourDomain}/api', { yourDomain: { default: 'x.test' } }, 'https://x.test/api', ['x.test']],
  ['{scheme}://a.test', { scheme: { default: 'https', enum: ['https', 'http'] } }, 'https://a.test', ['a.test']],
  ['https://{a}.com', { a: { default: 'x' } }, 'https://x.com', ['x.com']],
])('the server %s: a host is fixed but for a label before a domain of ours', (url, variables, expected, hosts) => {
  const { server } = planOf(small({}, { servers: [{ url, variables }] }));
  expect([server.url, server.allowHosts]).toEqual([expected, hosts]);
});

test('a relative server is below the address of the description, or needs a base_url', () => {
  const document = small({}, { servers: [{ url: '/v2' }] });
  expect(planOf(document, { sourceUrl: 'https://docs.test/a/openapi.json' }).server.url).toBe('https://docs.test/v2');
  expect(planOf(document).server.url).toBeUndefined();
  expect(planOf(document).warnings.join()).toContain('base_url');
});

test('names: the operation id, else method and path; the same whatever the order', () => {
  const of = (method: string, path: string, operationId?: string) => ({ method, path, operationId });
  const all = [of('GET', '/pets/{id}', 'getPetById'), of('POST', '/a', 'make'), of('POST', '/b', 'make'), of('PUT', '/c/x', 'same'), of('PUT', '/c/y', 'same')];
  const names = operationNames([...all, of('GET', '/x/{y}'), of('GET', '/l', 'x'.repeat(80)), of('GET', '/s', 'search_operations'), of('GET', '/é', 'Über/2')]);
  expect(names.slice(0, 3)).toEqual(['get_pet_by_id', 'make_a', 'make_b']);
  expect(names[3]).toMatch(/^same_c_[0-9a-f]{4}$/);
  expect(names.slice(5)).toEqual(['get_x_y', 'x'.repeat(56), 'search_operations_s', 'u_ber_2']);
  const reversed = operationNames(all.toReversed()).toReversed();
  expect(reversed).toEqual(names.slice(0, 5));
});

test('property: whatever the ids and paths, names are valid, unique and at most 56 long', () => {
  const operation = fc.record({
    method: fc.constantFrom('GET', 'POST'),
    path: fc.webPath().map((path) => `/${path}`),
    operationId: fc.option(fc.string(), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.uniqueArray(operation, { selector: (one) => `${one.method} ${one.path}`, maxLength: 30 }), (operations) => {
      const names = operationNames(operations);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]{0,55}$/);
    }),
  );
});

test('property: whatever is said as a schema, the plan is made and its input compiles', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom('type', 'enum', 'required', 'pattern', 'items', 'allOf', 'minLength', 'properties', '$ref', 'nullable'),
      (value, keyword) => {
        const schema = { type: 'object', properties: { a: { [keyword]: value } } };
        inputsCompile(planOf(small({ '/x': { post: { requestBody: { content: { 'application/json': { schema } } }, ...reply } } })));
      },
    ),
    { numRuns: 25 },
  );
});

const many = (count: number) =>
  small(
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`/things${i}`, { get: { operationId: `read${i}`, tags: [i % 2 ? 'odd' : 'even'], ...reply } }]),
    ),
  );

test('forty operations are skills; more are searched, with those that are pinned beside', () => {
  expect(planOf(many(40))).toMatchObject({ mode: 'each' });
  const plan = planOf(many(41), { pins: { tags: [], methods: [], match: 'things1 ', names: ['read2'] } });
  expect([plan.mode, plan.skills.map(({ name }) => name), plan.operations.length]).toEqual(['search', ['read1', 'read2'], 41]);
  const misspelled = planOf(many(41), { pins: { tags: ['strange'], methods: [], match: undefined, names: ['read999', 'read2'] } });
  expect(misspelled.warnings).toEqual(expect.arrayContaining(['No operation is named read999', 'No operation has the tag strange']));
  expect(misspelled.warnings.join()).not.toContain('read2');
  const chosen = planOf(many(60), { include: { tags: ['odd'], methods: ['GET'], match: undefined, names: [] } });
  expect([chosen.mode, chosen.operations.length, chosen.total]).toEqual(['each', 30, 60]);
});

test('a result that is larger than its budget is cut off; an input never is', () => {
  const wide = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`m${i}`, { $ref: '#/components/schemas/W' }])),
    description: 'W',
  };
  const document = small(
    {
      '/x': {
        post: {
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/V' } } } },
          responses: { 200: { description: 'ok', content: { 'application/json': { schema: { $ref: '#/components/schemas/V' } } } } },
        },
      },
    },
    {
      components: {
        schemas: {
          V: {
            type: 'object',
            properties: {
              w: { $ref: '#/components/schemas/W' },
              z: {
                type: 'array',
                items: { type: 'object', properties: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`long_name_${i}`, { type: 'string' }])) },
              },
            },
          },
          W: wide,
        },
      },
    },
  );
  const [operation] = planOf(document).operations;
  expect(operation?.outputBytes).toBeLessThan(17_000);
  expect(operation?.inputBytes).toBeGreaterThan(25_000);
});

test('Swagger 2.0 in YAML is read like OpenAPI 3', () => {
  const text =
    'swagger: "2.0"\ninfo: {title: Old, version: "1"}\nhost: old.test\nbasePath: /v1\nschemes: [https]\npaths:\n  /a/{id}:\n    post:\n      operationId: doIt\n      consumes: [application/x-www-form-urlencoded]\n      parameters:\n        - {name: id, in: path, required: true, type: string}\n        - {name: tags, in: formData, type: array, items: {type: string}, collectionFormat: multi}\n      responses: {"200": {description: ok}}\n';
  const document = readOpenApiDocument(text);
  const plan = planOf(document);
  expect(plan.server.url).toBe('https://old.test/v1');
  expect(plan.operations[0]).toMatchObject({
    name: 'do_it',
    call: { at: 'POST /a/{id}', body: { type: 'application/x-www-form-urlencoded', members: ['tags'] } },
  });
});

test.each([
  ['no text of a description', 'hello: [', /neither JSON nor YAML/],
  ['a list', '[]', /no object/],
  ['no version', '{"paths":{}}', /no version/],
  ['deep nesting', `{"openapi":"3.1.0","x":${'['.repeat(500)}${']'.repeat(500)}}`, /deeper/],
  [
    'an alias bomb',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[i]}`).join(',')}]`).join('\n')}\nopenapi: 3.1.0`,
    /cannot be read/,
  ],
])('%s is refused with a sentence', (_what, text, message) => {
  expect(() => readOpenApiDocument(text)).toThrow(BadDescription);
  expect(() => readOpenApiDocument(text)).toThrow(message);
});

test('it is read in a thread: meanwhile everything else goes on', async () => {
  const options = {
    name: 'many',
    description: undefined,
    baseUrl: undefined,
    sourceUrl: undefined,
    include: { tags: [], methods: [], match: undefined, names: [] },
    pins: { tags: [], methods: [], match: undefined, names: [] },
    mode: 'auto' as const,
    auth: undefined,
  };
  const working = generateInThread({ text: JSON.stringify(many(1_500)), options, public: undefined });
  // What starts the thread is a turn or two; a document read in this process would leave it at that.
  expect(await turnsDuring(working)).toBeGreaterThan(5);
  const done = await working;
  expect(done.preview).toMatchObject({
    mode: 'search',
    skills: ['search_operations', 'describe_operation', 'call_operation'],
    operations_total: 1_500,
    operations_chosen: 1_500,
  });
  expect(done.files.map(({ path }) => path)).toContain('operations.json');
});

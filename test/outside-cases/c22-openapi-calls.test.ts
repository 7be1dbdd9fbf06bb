// C22. A description with what real ones have: its operations are imported, called, and a server writes down
// what arrives.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentClassOf, json, listeningApi, planOf } from '#core/imports/openapi/test/agent.ts';
import { testAgent } from '#sdk/typescript/testing.ts';

const ok = { 200: { description: 'ok', content: { 'application/json': { schema: {} } } } };
const body = (schema: object) => ({ requestBody: { required: true, content: { 'application/json': { schema } } } });
const Node = {
  type: 'object',
  required: ['label'],
  properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/components/schemas/Node' } } },
};
const Owner = { type: 'object', properties: { name: { type: 'string' } } };
const id = (place: 'path' | 'query') => ({ name: 'id', in: place, required: true, schema: { type: 'string' } });
const NINETY = `list_${'all_the_things_of_the_account_'.repeat(3)}`.slice(0, 90);

/** As 3.0 and as 3.1 write that a value may be null. */
const described = (version: '3.0.3' | '3.1.0', url: string) => ({
  openapi: version,
  info: { title: 'Real life', version: '1' },
  servers: [{ url: `${url}/{version}/`, variables: { version: { default: 'v2', enum: ['v1', 'v2'] } } }],
  components: { schemas: { Node, Owner } },
  paths: {
    '/trees': { post: { operationId: 'plant', ...body({ $ref: '#/components/schemas/Node' }), responses: ok } },
    '/things/{id}': {
      put: {
        operationId: 'change',
        parameters: [id('path'), id('query')],
        ...body({ type: 'object', required: ['id'], properties: { id: { type: 'string' }, size: { type: 'integer' } } }),
        responses: ok,
      },
      delete: { operationId: 'clear', parameters: [id('path')], responses: { 204: { description: 'gone' } } },
    },
    '/numbers': {
      post: { operationId: 'add-all', ...body({ type: 'array', items: { type: 'integer' } }), responses: ok },
      put: { operationId: 'add_all', ...body({ type: 'string' }), responses: ok },
    },
    '/owned': {
      post: {
        operationId: 'own',
        ...body({
          type: 'object',
          properties:
            version === '3.0.3'
              ? { owner: { nullable: true, allOf: [{ $ref: '#/components/schemas/Owner' }] }, note: { type: 'string', nullable: true } }
              : { owner: { anyOf: [{ $ref: '#/components/schemas/Owner' }, { type: 'null' }] }, note: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
        }),
        responses: ok,
      },
    },
    '/found': {
      get: {
        operationId: NINETY,
        parameters: [
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { type: 'object', properties: { from: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } } },
          },
        ],
        responses: ok,
      },
    },
    '/files': {
      post: {
        operationId: 'upload',
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' }, id: { type: 'string' } } },
            },
          },
        },
        responses: ok,
      },
    },
    '/told': { get: { operationId: 'listen', responses: ok }, trace: { operationId: 'echo', responses: ok } },
  },
});

let api: Awaited<ReturnType<typeof listeningApi>>;
beforeAll(async () => {
  api = await listeningApi(({ method }, response) => (method === 'DELETE' ? void response.writeHead(204).end() : json(response, {})));
});
afterAll(() => api.close());

function imported(version: '3.0.3' | '3.1.0') {
  const plan = planOf(described(version, api.url));
  const agent = testAgent(agentClassOf(plan), { onQuestion: () => '{"approve":true}' });
  // Skills are made at run time: their names and arguments are no types.
  const invoke = agent.invoke as unknown as (skill: string, args: object) => Promise<{ result: unknown }>;
  const call = async (skill: string, args: object) => {
    const count = api.heard.length;
    const { result } = await invoke.call(agent, skill, args);
    const [heard, ...others] = api.heard.slice(count);
    if (!heard || others.length > 0) throw new Error(`${skill} sent ${others.length + 1} requests`);
    const { method, url, headers } = heard;
    return { result, method, url, type: headers['content-type'], body: heard.body };
  };
  const schemaOf = (skill: string) => plan.skills.find(({ name }) => name === skill)?.input;
  return { plan, call, schemaOf };
}

test.each(['3.0.3', '3.1.0'] as const)('OpenAPI %s: each value arrives where it belongs', async (version) => {
  const { call, schemaOf, plan } = imported(version);
  const names = plan.skills.map(({ name }) => name);
  expect(new Set(names).size).toBe(9);
  expect(names.filter((name) => !/^[a-z][a-z0-9_]{0,63}$/.test(name))).toEqual([]);
  const tree = { label: 'a', children: [{ label: 'b', children: [{ label: 'c' }] }] };
  const planted = await call('plant', tree);
  expect([planted.method, planted.url, JSON.parse(String(planted.body))]).toEqual(['POST', '/v2/trees', tree]);
  const changed = await call('change', { path_id: 'p/1', query_id: 'q', body_id: 'b', size: 3 });
  expect([changed.url, JSON.parse(String(changed.body))]).toEqual(['/v2/things/p%2F1?id=q', { id: 'b', size: 3 }]);
  expect((await call('clear', { id: 'x' })).result).toBeNull();
  const [array = '', primitive = ''] = ['POST', 'PUT'].map((method) => plan.skills.find((one) => one.path === '/numbers' && one.method === method)?.name);
  expect([array, primitive].every((name) => name.startsWith('add_all'))).toBe(true);
  expect(JSON.parse(String((await call(array, { body: [1, 2] })).body))).toEqual([1, 2]);
  const said = await call(primitive, { body: 'hello' });
  expect([said.type, String(said.body)]).toEqual(['application/json', '"hello"']);
  const owned = { owner: null, note: null };
  expect(JSON.parse(String((await call('own', owned)).body))).toEqual(owned);
  expect(JSON.parse(String((await call('own', { owner: { name: 'Ada' }, note: 'x' })).body))).toEqual({ owner: { name: 'Ada' }, note: 'x' });
  // A type beside anyOf would refuse null.
  if (version === '3.1.0') expect(schemaOf('own')).toMatchObject({ properties: { note: expect.not.objectContaining({ type: 'string' }) } });
  await expect(call('own', { note: 1 })).rejects.toMatchObject({ code: 'skill_input_error' });
  const long = names.find((name) => name.startsWith('list_all')) ?? '';
  expect((await call(long, { filter: { from: 1, tags: ['a', 'b'] } })).url).toBe(
    '/v2/found?filter%5Bfrom%5D=1&filter%5Btags%5D%5B0%5D=a&filter%5Btags%5D%5B1%5D=b',
  );
  const upload = await call('upload', { file: { base64: 'AP8=', filename: 'a.bin' }, id: 'u' });
  const form = await new Response(new Uint8Array(upload.body), { headers: { 'content-type': String(upload.type) } }).formData();
  expect([form.get('id'), (form.get('file') as File).size]).toEqual(['u', 2]);
});

test('what was left out is said', () => {
  expect(imported('3.1.0').plan.warnings).toContainEqual('Left out: TRACE /told (HTTP clients must not send TRACE)');
  const paths = { 'no-slash': {}, '/lost': { $ref: '#/components/pathItems/Gone' }, '/found': { get: { responses: ok } } };
  const webhooks = { told: { post: { responses: ok } } };
  expect(planOf({ openapi: '3.1.0', info: { title: 'T', version: '1' }, servers: [{ url: 'https://a.example' }], paths, webhooks }).warnings).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Left out: no-slash /),
      expect.stringMatching(/^Left out: \/lost /),
      expect.stringMatching(/^Left out: told /),
    ]),
  );
});

// Named endpoints of an agent: svc.yaml maps their methods to skills, and says where each argument comes
// from.
import { createServer, type Server, type ServerResponse } from 'node:http';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ErrorResponse } from '#contract/error-response.ts';
import { MAX_VALUE_BYTES } from '#contract/wire/limits.ts';
import { parseManifest } from '#contract/wire/manifest.ts';
import { checkCard } from '#core/deploys/deployment/card.ts';
import { cites } from '#test/spec/verifies.ts';
import { socketOf } from '#test/support/agent-socket.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

const endpoints = {
  orders: {
    post: { skill: 'order' },
    put: { skill: 'order', arguments: { id: { in: 'query' }, customer_id: { in: 'header' }, urgent: { in: 'query', name: 'now' }, kind: { in: 'path' }, item: { in: 'body', name: 'what' } } },
    delete: { skill: 'order' },
  },
  'ask-me': { post: { skill: 'plain' } },
  broken: { post: { skill: 'broken' }, patch: { skill: 'slow' } },
}; // prettier-ignore
const manifest = { name: 'shop', version: '1.0.0', entrypoint: 'agent:Shop', endpoints };
const order = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    customer_id: { type: 'string' },
    urgent: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
    kind: { type: 'string' },
    item: { $ref: '#/$defs/Item' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['id'],
  $defs: { Item: { type: 'string' } },
};
const skillOf = (id: string, input_schema: object = { type: 'object' }, output_schema: object = {}) => ({ id, name: id, input_schema, output_schema });
const card = { skills: [skillOf('order', order, { type: 'object' }), skillOf('plain', {}, { type: 'string' }), skillOf('broken'), skillOf('slow')] };

let world: World;
let agent: LiveAgent;
let machine: Server;
let url: string;
/** What the agent does with a call. */
let answer: (response: ServerResponse, args: unknown, skill: string) => void;
const say =
  (status: number, body: unknown, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const echo: typeof answer = (response, args, skill) => say(200, skill === 'plain' ? 'text' : { args })(response);

beforeAll(async () => {
  world = await createWorld();
  const { ctx } = world;
  const { owner_id = '' } =
    (await ctx
      .db('agents')
      .where({ name: world.records['name'] ?? '' })
      .first('owner_id')) ?? {};
  agent = await liveAgent(ctx, owner_id, { card });
  await ctx
    .db('deployments')
    .where({ deploy_id: agent.deployId })
    .update({ manifest: JSON.stringify(manifest) });
  machine = createServer((req, res) => void json(req).then((args) => answer(res, args, (req.url ?? '').slice('/invoke/'.length))));
  const path = socketOf(ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  await new Promise<void>((resolve) => machine.listen(path, resolve));
  url = `${world.url}/v1/agents/${agent.name}/api/endpoints`;
});
afterAll(async () => {
  machine.closeAllConnections();
  machine.close();
  await world.close();
});

async function send(
  method: string,
  path: string,
  { body, headers = {}, token = world.tokens.ada }: { body?: unknown; headers?: Record<string, string>; token?: string } = {},
) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${url}/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...sent,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}
const detail = ({ body }: { body: unknown }) => ErrorResponse.parse(body).detail;

verifies(
  ['agents.postEndpoint', 'agents.putEndpoint', 'agents.deleteEndpoint'],
  'take arguments from where svc.yaml says, with the types of the skill',
  async () => {
    answer = echo;
    expect(await send('POST', 'orders?id=9', { body: { id: 1, tags: ['a'] } })).toMatchObject({ status: 200, body: { args: { id: 1, tags: ['a'] } } });
    const put = await send('PUT', 'orders?id=7&now=true&other=1', { body: { what: 'pen' }, headers: { 'customer-id': '007' } });
    expect(put.body).toEqual({ args: { id: 7, customer_id: '007', urgent: true, kind: 'orders', item: 'pen' } });
    expect(put.headers.get('x-svc-receipt-id')).toMatch(/^rcp_/);
    expect((await send('DELETE', 'orders?id=-2&tags=a&utm_source=x')).body).toEqual({ args: { id: -2, tags: ['a'] } });
    // What is no number stays text: the agent refuses it.
    expect((await send('DELETE', 'orders?id=1e3')).body).toEqual({ args: { id: '1e3' } });
    expect((await send('POST', 'ask-me')).body).toEqual({ result: 'text' });
  },
);

test('an argument is taken from its own place alone', async () => {
  answer = echo;
  const wrong = await send('PUT', 'orders?id=7', { body: { id: 8, customer_id: 'root' } });
  expect([wrong.status, detail(wrong).issues?.map(({ path }) => path)]).toEqual([
    422,
    [
      ['body', 'id'],
      ['body', 'customer_id'],
    ],
  ]);
  const twice = await send('DELETE', 'orders?id=1', { body: { id: 2 } });
  expect([twice.status, detail(twice).issues?.[0]?.path]).toEqual([422, ['query', 'id']]);
});

verifies('agents.patchEndpoint', 'is 405 with Allow where it is not declared; an endpoint that does not exist is 404', async () => {
  const refused = await send('PATCH', 'orders', { body: {} });
  expect([refused.status, refused.headers.get('allow'), detail(refused).code]).toEqual([405, 'POST, PUT, DELETE', 'endpoint_method_unknown']);
  expect(detail(await send('POST', 'constructor'))).toMatchObject({ code: 'endpoint_not_found' });
  expect((await send('POST', 'nothing')).status).toBe(404);
});

test('502 with agent_status for a 5xx of the agent, without where nothing was observed; 504 claims nothing', cites('errors.agent_status'), async () => {
  for (const status of [500, 503, 504]) {
    answer = say(status, { detail: { code: 'too_sad', message: 'not today' } });
    const failed = await send('POST', 'broken');
    expect([failed.status, detail(failed)]).toMatchObject([502, { code: 'too_sad', message: 'not today', agent_status: status }]);
  }
  answer = (response) => void response.writeHead(500).end('<html>');
  expect([(await send('POST', 'broken')).status, detail(await send('POST', 'broken'))]).toMatchObject([502, { code: 'agent_error', agent_status: 500 }]);
  answer = (response) => void response.destroy();
  const gone = await send('POST', 'broken');
  expect([gone.status, detail(gone).code, detail(gone).agent_status]).toEqual([502, 'agent_unreachable', undefined]);
  answer = say(503, {}, { 'x-svc-runtime-error': 'unhealthy' });
  const late = await send('PATCH', 'broken');
  expect([late.status, detail(late).code, detail(late).agent_status]).toEqual([504, 'agent_timeout', undefined]);
});

test('an answer that no caller could be given is 500, with the status that was seen', async () => {
  const unusable: [typeof answer, number][] = [
    [(response) => void response.writeHead(200).end('<html>'), 200],
    [(response) => void response.writeHead(302, { location: '/elsewhere' }).end(), 302],
    [(response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: status\ndata: {}\n\n'), 200],
    [(response) => void response.end(Buffer.alloc(MAX_VALUE_BYTES + 1, ' ')), 200],
  ];
  for (const [how, status] of unusable) {
    answer = how;
    const failed = await send('POST', 'broken');
    expect([failed.status, detail(failed)]).toMatchObject([500, { code: 'endpoint_bad_answer', agent_status: status }]);
  }
  // Reached, but not to the end: its status was seen.
  answer = (response) => void response.writeHead(200, { 'content-length': '10' }).write('{', () => response.destroy());
  const cut = await send('POST', 'broken');
  expect([cut.status, detail(cut)]).toMatchObject([502, { code: 'agent_unreachable', agent_status: 200 }]);
});

test('whatever success the agent answers with is 200', async () => {
  answer = say(201, { order: 1 }, { location: '/orders/1' });
  expect(await send('POST', 'orders', { body: { id: 1 } })).toMatchObject({ status: 200, body: { order: 1 } });
  answer = (response) => void response.writeHead(204).end();
  expect(await send('POST', 'orders', { body: { id: 1 } })).toMatchObject({ status: 200, body: { result: null } });
});

test("the agent's own refusals pass as every refusal of the API is written", async () => {
  const issues = [{ path: ['id'], code: 'required', message: 'is missing' }];
  for (const [status, as] of [[400, 400], [401, 401], [402, 402], [403, 403], [404, 404], [405, 405], [409, 409], [410, 404], [413, 400], [415, 400], [418, 400], [422, 422], [429, 503]] as const) {
    answer = say(status, { detail: { code: 'no_such_order', message: 'look again', secret: 'x', issues } });
    const refused = await send('POST', 'orders', { body: {} });
    expect(refused.status).toBe(as);
    expect(refused.body).toEqual({ detail: { code: 'no_such_order', message: 'look again', request_id: expect.any(String), agent_status: status, issues } });
  } // prettier-ignore
  answer = say(429, {}, { 'retry-after': '7' });
  expect((await send('POST', 'orders', { body: {} })).headers.get('retry-after')).toBe('7');
  answer = say(405, {});
  expect((await send('POST', 'orders', { body: {} })).headers.get('allow')).toBe('PUT, DELETE');
  answer = (response) => void response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
  const plain = await send('POST', 'orders', { body: {} });
  expect([plain.status, detail(plain)]).toMatchObject([404, { code: 'agent_refused', agent_status: 404 }]);
});

test('who may call: the owner, a token of the agent in its header or query; its scopes count; credentials stay here', async () => {
  answer = echo;
  const make = (body: object) => world.as('ada').agents.createIntegrationLink({ params: { name: agent.name }, body });
  const { token } = await make({ token_placement: 'url_query', scopes: ['order'] });
  const byQuery = await fetch(`${url}/orders?id=3&integration_token=${token}`, { method: 'DELETE' });
  expect([byQuery.status, await byQuery.json(), byQuery.headers.get('cache-control')]).toEqual([200, { args: { id: 3 } }, 'no-store']);
  expect(detail(await send('POST', 'ask-me', { token }))).toMatchObject({ code: 'skill_not_allowed' });
  expect((await send('POST', 'orders', { token: world.tokens.ben })).status).toBe(404);
  expect((await send('POST', 'orders', { token: world.tokens.agent })).status).toBe(404);
  expect((await fetch(`${url}/orders`, { method: 'POST' })).status).toBe(401);
});

test('its OpenAPI document names them as they are called', async () => {
  const document = (await world.as('ada').agents.openapi({ params: { name: agent.name }, query: {} })) as { paths: Record<string, Record<string, unknown>> };
  expect(Object.keys(document.paths['/endpoints/orders'] ?? {})).toEqual(['post', 'put', 'delete']);
  expect(document.paths['/endpoints/orders']?.['put']).toMatchObject({
    operationId: 'put_orders',
    parameters: expect.arrayContaining([
      { name: 'id', in: 'query', required: true, schema: { type: 'integer', minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } },
      { name: 'customer-id', in: 'header', required: false, schema: { type: 'string' } },
      expect.objectContaining({ name: 'now', in: 'query' }),
    ]),
    requestBody: { content: { 'application/json': { schema: { properties: { what: { $ref: '#/components/schemas/put_orders.Input.Item' }, tags: {} } } } } },
    responses: { 200: {}, 405: {}, 502: {}, 504: {} },
  });
  expect(document.paths['/endpoints/ask-me']?.['post']).toMatchObject({
    responses: { 200: { content: { 'application/json': { schema: { required: ['result'] } } } } },
  });
});

test('svc.yaml is refused where it maps to nothing, or to what no agent may read', () => {
  const wrong = [
    { orders: {} },
    { orders: { get: { skill: 'order' } } },
    { 'or/ders': { post: { skill: 'order' } } },
    { orders: { post: { skill: 'order', arguments: { id: { in: 'header', name: 'authorization' } } } } },
    { orders: { post: { skill: 'order', arguments: { cookie: { in: 'header' } } } } },
    { orders: { post: { skill: 'order', arguments: { svc_grant: { in: 'header' } } } } },
    { orders: { post: { skill: 'order', arguments: { id: { in: 'query', name: 'integration_token' } } } } },
    { orders: { post: { skill: 'order', arguments: { integration_token: { in: 'query' } } } } },
    { orders: { post: { skill: 'order', arguments: { id: { in: 'cookie' } } } } },
  ];
  for (const each of wrong) expect(() => parseManifest({ ...manifest, endpoints: each }), JSON.stringify(each)).toThrow('svc.yaml: endpoints');
  const whole = { name: 'shop', description: '', version: '1.0.0', ...card };
  expect(checkCard(whole, parseManifest(manifest)).fault).toBeUndefined();
  const check = (each: object) => checkCard(whole, parseManifest({ ...manifest, endpoints: each })).fault?.message;
  expect(check({ orders: { post: { skill: 'missing' } } })).toContain('skill missing');
  expect(check({ orders: { post: { skill: 'order', arguments: { colour: { in: 'query' } } } } })).toContain('argument colour');
});

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { group } from '#contract/kit.ts';
import { Conflict, Gone, NotFound } from '#core/kernel/errors.ts';
import { cites } from '#test/spec/verifies.ts';
import type { Handlers } from './handlers.ts';
import { serveForTest, type TestApi } from './test/serve.ts';

const Thing = z.strictObject({ name: z.string(), seen: z.unknown() }).meta({ id: 'ToyThing' });
const name = z.object({ name: z.string() });
const things = group({
  byName: { at: 'GET /v1/things/{name}', summary: 'One', scope: 'public', params: name, out: Thing, errors: [404, 409] },
  mine: { at: 'GET /v1/things/mine', summary: 'Mine', scope: 'account', out: Thing, errors: [401, 403] },
  deep: { at: 'GET /v1/things/{name}/files/{path:path}', summary: 'File', scope: 'public', params: name.extend({ path: z.string() }), out: Thing, errors: [] },
  search: {
    at: 'GET /v1/things/search',
    summary: 'Find',
    scope: 'public',
    query: z.object({
      q: z.string().default(''),
      limit: z.int().min(1).max(25).default(8),
      deep: z.boolean().optional(),
      tag: z.array(z.string()).optional(),
      ratio: z.number().nullable().optional(),
    }),
    out: Thing,
    errors: [],
  },
  create: {
    at: 'POST /v1/things',
    summary: 'Make',
    scope: 'account',
    body: z.strictObject({ name: z.string().min(2), size: z.int(), tags: z.array(z.string()).default([]) }),
    out: Thing,
    status: 201,
    errors: [401, 403],
  },
  note: {
    at: 'POST /v1/things/{name}/note',
    summary: 'Note',
    scope: 'public',
    params: name,
    body: z.strictObject({ text: z.string() }).nullish(),
    out: Thing,
    errors: [],
  },
  remove: { at: 'DELETE /v1/things/{name}', summary: 'Remove', scope: 'operator', params: name, status: 204, errors: [401, 403] },
  lies: { at: 'POST /v1/things/{name}/lies', summary: 'Lies', scope: 'public', params: name, out: Thing, errors: [409] },
  login: { at: 'GET /v1/login', summary: 'In', scope: 'none', out: Thing, redirects: true, errors: [] },
  limited: { at: 'POST /v1/limited', summary: 'Rare', scope: 'public', out: Thing, errors: [429], limit: 'code' },
  token: {
    at: 'GET /v1/tool',
    summary: 'Tool',
    scope: 'optional,agent-token',
    query: z.object({ integration_token: z.string().nullable().optional() }),
    out: Thing,
    errors: [401, 403],
  },
});

const handlers: Handlers<typeof things> = {
  byName: (_ctx, { params }) => {
    if (params.name === 'lost') throw new NotFound('not_found', 'there is no such thing; list them first', { name: 'lost' });
    if (params.name === 'gone') throw new Gone('run_gone', 'too late');
    if (params.name === 'bug') throw new Error('secret inside');
    return { name: params.name, seen: 'byName' };
  },
  mine: (ctx) => ({ name: ctx.actor.user_id, seen: 'mine' }),
  deep: (_ctx, { params }) => ({ name: params.name, seen: params.path }),
  search: (_ctx, { query }) => ({ name: 'search', seen: query }),
  create: (_ctx, { body }, http) => {
    http.cookies.set('__Host-svc_thing', body.name, { maxAge: 60 });
    return { name: body.name, seen: body };
  },
  note: (_ctx, { body }) => ({ name: 'note', seen: body ?? null }),
  remove: () => undefined,
  lies: (_ctx, { params }) => {
    if (params.name === 'conflict') throw new Conflict('name_taken', 'declared');
    return Object.assign({ name: 'x', seen: 1 }, params.name === 'extra' ? { password: 'leak' } : { name: 5 as unknown as string });
  },
  login: (_ctx, _input, http) => http.redirect('/next', { name: 'in', seen: '/next' }),
  limited: () => ({ name: 'limited', seen: 1 }),
  token: (ctx) => ({ name: ctx.actor.kind, seen: null }),
};

let api: TestApi<{ things: typeof things }>;
beforeAll(async () => {
  api = await serveForTest({ things }, { things: handlers }, { budgets: { code: { points: 3, seconds: 60 } } });
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => fetch(api.url + path, { headers, method, redirect: 'manual' });
const post = (path: string, body?: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  fetch(api.url + path, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });
const seen = async (response: Response) => Thing.parse(await response.json());
const detail = async (response: Response) =>
  z
    .object({
      detail: z.looseObject({
        code: z.string(),
        message: z.string(),
        request_id: z.string(),
        issues: z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).optional(),
      }),
    })
    .parse(await response.json()).detail;

test('literals come before parameters, whatever the order of declaration', async () => {
  expect(await api.as('ada').things.mine()).toEqual({ name: 'usr_ada', seen: 'mine' });
  expect((await api.as().things.search()).name).toBe('search');
  expect(await api.as().things.byName({ params: { name: 'a/b c' } })).toEqual({ name: 'a/b c', seen: 'byName' });
});

test('a path parameter takes slashes, and an encoded slash arrives decoded', async () => {
  expect(await api.as().things.deep({ params: { name: 'n', path: 'a/b c/d.txt' } })).toEqual({ name: 'n', seen: 'a/b c/d.txt' });
});

test('query text is decoded as the schema says, and only then', async () => {
  const found = async (query: string) => (await seen(await get(`/v1/things/search?${query}`))).seen;
  expect(await found('q=12&limit=3&deep=true&tag=a&tag=b&ratio=-0.5')).toEqual({ q: '12', limit: 3, deep: true, tag: ['a', 'b'], ratio: -0.5 });
  expect(await found('tag=one')).toEqual({ q: '', limit: 8, tag: ['one'] });
  for (const junk of ['limit=', 'limit=1e1', 'limit=0x1', 'limit=2.5', 'limit=99', 'deep=1', 'q=a&q=b', 'limit=Infinity']) {
    expect((await get(`/v1/things/search?${junk}`)).status, junk).toBe(422);
  }
});

test('422 lists every issue with its path', async () => {
  const response = await fetch(`${api.url}/v1/things`, {
    method: 'POST',
    headers: { authorization: 'Bearer ada', 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x', tags: ['a', 3], extra: 1 }),
  });
  expect(response.status).toBe(422);
  const { code, issues } = await detail(response);
  expect(code).toBe('invalid_input');
  expect(issues?.map((issue) => issue.path)).toEqual(expect.arrayContaining([['body', 'name'], ['body', 'size'], ['body', 'tags', 1], ['body']]));
});

test('a body that cannot be read is 422: no JSON, wrong type, too large, poisoned', async () => {
  for (const [body, headers] of [
    ['{', undefined],
    ['{"text":"a"}', { 'content-type': 'text/plain' }],
    [JSON.stringify({ text: 'x'.repeat(1_100_000) }), undefined],
    ['{"__proto__":{"text":"a"},"text":"a"}', undefined],
    ['"just text"', undefined],
  ] as const) {
    const response = await post('/v1/things/a/note', body, headers);
    expect(response.status, body.slice(0, 30)).toBe(422);
    expect((await detail(response)).issues?.[0]?.path[0]).toBe('body');
  }
});

test('a body may be absent or null where the schema says so', async () => {
  expect((await seen(await post('/v1/things/a/note', undefined, {}))).seen).toBeNull();
  expect((await seen(await post('/v1/things/a/note', 'null'))).seen).toBeNull();
});

test('anonymous is 401 with a challenge, the wrong kind of caller 403', async () => {
  const anonymous = await get('/v1/things/mine');
  expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer realm="svc", resource_metadata="http://localhost:8080/.well-known/oauth-protected-resource"',
  ]);
  for (const token of ['platform', 'agent']) expect((await get('/v1/things/mine', { authorization: `Bearer ${token}` })).status).toBe(403);
  expect((await get('/v1/things/mine', { authorization: 'Bearer forged' })).status).toBe(401);
  expect((await get('/v1/things/x', { authorization: 'Bearer ada' }, 'DELETE')).status).toBe(403);
  expect((await get('/v1/things/x', { authorization: 'Bearer operator' }, 'DELETE')).status).toBe(204);
  expect((await get('/v1/things/x', { authorization: 'Bearer forged' })).status).toBe(200);
});

test('an agent token is taken from the query only where the scope names it', async () => {
  expect((await seen(await get('/v1/tool?integration_token=agent'))).name).toBe('api_token');
  expect((await seen(await get('/v1/tool'))).name).toBe('anonymous');
  expect((await get('/v1/things/mine?integration_token=ada')).status).toBe(401);
});

test('domain errors become the declared status; undeclared ones and bugs 500 without their text', async () => {
  const lost = await get('/v1/things/lost');
  expect([lost.status, await detail(lost)]).toEqual([
    404,
    expect.objectContaining({ code: 'not_found', name: 'lost', request_id: lost.headers.get('x-request-id') }),
  ]);
  for (const path of ['gone', 'bug']) {
    const response = await get(`/v1/things/${path}`);
    const text = await response.text();
    expect([response.status, text.includes('internal'), text.includes('secret')]).toEqual([500, true, false]);
  }
  expect(api.logs.join('')).toContain('status 410 is not declared');
  expect(api.logs.join('')).toContain('secret inside');
});

test('an answer that is not what the contract says is 500 under test', async () => {
  expect((await post('/v1/things/conflict/lies')).status).toBe(409);
  expect((await post('/v1/things/type/lies')).status).toBe(500);
  expect((await post('/v1/things/extra/lies')).status).toBe(500);
});

test('unknown paths are 404, unknown methods 405 with Allow, both in the one shape', async () => {
  const nothing = await get('/v1/nothing');
  expect([nothing.status, (await detail(nothing)).code]).toEqual([404, 'route_not_found']);
  // Who types an address into a browser reads a page; a page's script and a program get what they can parse.
  const navigate = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };
  const typed = await new Promise<IncomingMessage>((resolve) => httpRequest(nothing.url, { headers: navigate }, resolve).end());
  expect([typed.statusCode, typed.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(await text(typed)).toContain('Nothing here');
  const fetched = await fetch(nothing.url, { headers: { accept: 'text/html' } });
  expect(fetched.headers.get('content-type')).toContain('application/json');
  const method = await get('/v1/things', {}, 'PUT');
  expect([method.status, method.headers.get('allow'), (await detail(method)).code]).toEqual([405, 'POST', 'method_not_allowed']);
  expect((await get('/v1/things', {}, 'HEAD')).status).toBe(405);
  // The path is a route's own; what another takes it for as a parameter is not offered.
  expect((await get('/v1/things/mine', {}, 'PUT')).headers.get('allow')).toBe('GET, HEAD');
  expect((await get('/v1/things/yours', {}, 'PUT')).headers.get('allow')).toBe('DELETE, GET, HEAD');
});

test('text that is not UTF-8 is refused wherever it stands, and never becomes U+FFFD', async () => {
  const send = (body: Buffer<ArrayBuffer>) => fetch(`${api.url}/v1/things/x/note`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect((await send(Buffer.from('{"text":"\ufffd grüß \u{1f600}"}'))).status).toBe(200);
  for (const wrong of ['{"text":"\xff"}', '{"text":"\xc3"}', '{"text":"\xed\xa0\x80"}', '{"\xfe":1}', '{"text":"\xc0\xaf"}']) {
    const refused = await send(Buffer.from(wrong, 'latin1'));
    expect(refused.status, wrong).toBe(422);
    expect(await refused.text()).toContain('UTF-8');
  }
  expect((await send(Buffer.from('{"text":"x","__proto__":{}}'))).status).toBe(422);
  for (const path of [
    '/v1/things/%ff',
    '/v1/things/a%c3',
    '/v1/things/%',
    '/v1/things/x/files/a/%80',
    '/v1/things/search?q=%ff',
    '/v1/things/search?q=a&tag=%c0%af',
  ]) {
    expect((await get(path)).status, path).toBe(422);
  }
  expect((await get('/v1/things/search?q=gr%C3%BC%C3%9F+x')).status).toBe(200);
  // fetch would encode it; HTTP's own parser refuses the byte.
  const raw = await new Promise<number>((resolve, reject) => {
    httpRequest(`${api.url}/v1/things/x`, { path: '/v1/things/\u00fc' }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
  expect(raw).toBe(400);
});

test('a browser is redirected, a program gets the facts', async () => {
  const browser = await get('/v1/login', { accept: 'text/html,*/*' });
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/next']);
  expect(await api.as().things.login()).toEqual({ name: 'in', seen: '/next' });
});

test('cookies are __Host- cookies over plain http too', async () => {
  const response = await fetch(`${api.url}/v1/things`, {
    method: 'POST',
    headers: { authorization: 'Bearer ada', 'content-type': 'application/json' },
    body: '{"name":"ab","size":1}',
  });
  expect(response.status).toBe(201);
  expect(response.headers.getSetCookie()[0]).toMatch(/^__Host-svc_thing=ab; path=\/; expires=.*; samesite=lax; secure; httponly$/i);
});

/** fetch would not send another Host. */
function withHost(host: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${api.url}/v1/things`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers, host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.on('error', reject).end('{"name":"ab","size":1}');
  });
}

test('a change sent by another site with the session cookie is refused; bearer tokens and our own pages pass', async () => {
  const cookie = '__Host-svc_session=ada';
  const send = (headers: Record<string, string>) =>
    fetch(`${api.url}/v1/things`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{"name":"ab","size":1}' }).then(
      (r) => r.status,
    );
  expect(await send({ cookie, 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await send({ cookie, 'sec-fetch-site': 'same-site' })).toBe(403);
  expect(await send({ cookie, origin: 'https://evil.example' })).toBe(403);
  expect(await send({ cookie, origin: 'null' })).toBe(403);
  expect(await send({ cookie, 'sec-fetch-site': 'same-origin' })).toBe(201);
  expect(await send({ cookie, origin: 'http://localhost:8080', 'sec-fetch-site': 'cross-site' })).toBe(201);
  expect(await send({ cookie })).toBe(201);
  // Where the API listens is not where the platform is: what a page says of its own name is checked against
  // the configured origin alone.
  const own = new URL(api.url).host;
  expect(await send({ cookie, origin: `http://${own}` })).toBe(403);
  expect(await send({ cookie, origin: `http://${own}`, 'sec-fetch-site': 'same-origin' })).toBe(403);
  expect(await withHost('rebound.example', { cookie, origin: 'http://rebound.example' })).toBe(403);
  expect(await withHost('localhost:8080', { cookie, origin: 'https://localhost:8080' })).toBe(403);
  expect(await withHost('proxy.internal', { cookie, origin: 'http://localhost:8080' })).toBe(201);
  expect(await send({ authorization: 'Bearer ada', 'sec-fetch-site': 'cross-site' })).toBe(201);
  expect((await get('/v1/things/mine', { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(200);
});

test('request ids are kept when sane, made when not, and logged', async () => {
  expect((await get('/v1/login', { 'x-request-id': 'abcdefgh-1' })).headers.get('x-request-id')).toBe('abcdefgh-1');
  expect((await get('/v1/login', { 'x-request-id': 'no way' })).headers.get('x-request-id')).toMatch(/^req_/);
  await expect.poll(() => api.logs.join('')).toContain('"request_id":"abcdefgh-1"');
});

test('a limiter counts per caller and says when to come back', cites('errors.rate'), async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) statuses.push((await post('/v1/limited')).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
  const refused = await post('/v1/limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await api.db('rate_limits').count())[0]).toEqual({ count: 1 });
});

test('credentials are never in the log', async () => {
  await get('/v1/tool?integration_token=agent&code=hunter22', { cookie: '__Host-svc_session=ada' });
  await expect.poll(() => api.logs.join('')).toContain('integration_token=[redacted]&code=[redacted]');
  expect(api.logs.join('')).not.toMatch(/hunter22|Bearer/);
});

test('headers keep browsers in their place', async () => {
  const { headers } = await get('/v1/login');
  expect(headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('access-control-allow-origin')).toBeNull();
});

// Generated skills against a real HTTP server: what arrives, byte for byte, and what comes back.
import { afterEach, expect, test } from 'vitest';
import { testAgent, type TestOptions } from '#sdk/typescript/testing.ts';
import type { Options } from './generate/model.ts';
import { agentClassOf, type Heard, json, listeningApi, planOf } from './test/agent.ts';
import { library } from './test/library.ts';

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Answer = Parameters<typeof listeningApi>[0];

async function called(document: object, answer?: Answer, options: TestOptions = {}, wish: Partial<Options> = {}) {
  const api = await listeningApi(answer);
  closers.push(api.close);
  const plan = planOf(document, { baseUrl: `${api.url}/v1`, ...wish });
  const agent = testAgent(agentClassOf(plan), options);
  // Skills are made at run time: their names and arguments are no types.
  const invoke = agent.invoke as unknown as (skill: string, args: object) => Promise<{ result: unknown; artifacts: readonly { mime_type: string }[] }>;
  return { call: (skill: string, args: object) => invoke.call(agent, skill, args), heard: api.heard, agent, last: (): Heard | undefined => api.heard.at(-1) };
}

test('parameters: every style, in the path, the query, headers and cookies', async () => {
  const { call, last } = await called(library);
  await call('get_book', { path_id: 7, query_id: 'a b/ä&', 'X-Trace': ['x', 'y'], theme: 'dark blue' });
  expect(last()).toMatchObject({ method: 'GET', url: '/v1/books/7?id=a%20b%2F%C3%A4%26', headers: { 'x-trace': 'x,y', cookie: 'theme=dark%20blue' } });
  await call('get_shelves_label_matrix_list', { label: ['a', 'b/c'], matrix: { x: '1', y: '2' }, list: ['p', 'q'] });
  expect(last()?.url).toBe('/v1/shelves/.a.b%2Fc/;x=1;y=2/p,q');
  const query = { filter: { author: 'Ada & co', year: 1843 }, tags: ['a', 'b'], ids: [1, 2], pipes: ['x', 'y'], spaces: ['x', 'y'] };
  await call('books_list', { ...query, where: { a: [1] }, path: 'a/b?c', sort_by: 'title' });
  expect(last()?.url).toBe(
    '/v1/books?filter[author]=Ada%20%26%20co&filter[year]=1843&tags=a&tags=b&ids=1,2&pipes=x%7Cy&spaces=x%20y&where=%7B%22a%22%3A%5B1%5D%7D&path=a/b?c&sort%5Bby%5D=title'
      .replaceAll('filter[', 'filter%5B')
      .replaceAll(']=', '%5D='),
  );
});

test('bodies: JSON, form with deepObject, multipart, bytes', async () => {
  const { call, last } = await called(library);
  await call('create_book', { title: 'Äther', parent: null });
  expect(last()).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
  expect(JSON.parse(String(last()?.body))).toEqual({ title: 'Äther', parent: null });
  await call('health', { customer: 'a b', items: [{ price: 'p_1', quantity: 2 }, { price: 'p_2' }], colors: ['red', 'blue'], note: { x: 1 } });
  expect(String(last()?.body)).toBe(
    'customer=a+b&items%5B0%5D%5Bprice%5D=p_1&items%5B0%5D%5Bquantity%5D=2&items%5B1%5D%5Bprice%5D=p_2&colors=red&colors=blue&note=%7B%22x%22%3A1%7D',
  );
  await call('put_cover', { id: 'x', body: { base64: Buffer.from([0, 255]).toString('base64') } });
  expect(last()).toMatchObject({ method: 'PUT', headers: { 'content-type': 'image/png' }, body: Buffer.from([0, 255]) });
  await call('upload_cover', { path_id: 'x', body_id: 'y', file: { base64: 'AP8=', filename: 'a".png' }, about: { by: 'me' } });
  const form = await new Response(new Uint8Array(last()?.body ?? []), { headers: { 'content-type': String(last()?.headers['content-type']) } }).formData();
  const file = form.get('file');
  expect([form.get('id'), form.get('about')].map(String)).toEqual(['y', '{"by":"me"}']);
  expect(file instanceof File && [file.name, file.type, file.size]).toEqual(['a".png', 'image/png', 2]);
});

test('arguments that do not fit send nothing, and none leaves its place in the path', async () => {
  const { call, heard } = await called(library);
  await expect(call('get_book', { path_id: 'seven' })).rejects.toMatchObject({ code: 'skill_input_error' });
  await expect(call('get_book', {})).rejects.toMatchObject({ code: 'skill_input_error' });
  await expect(call('get_book', { path_id: 1, other: 1 })).rejects.toMatchObject({ code: 'skill_input_error' });
  await expect(call('get_cover', { id: '..' })).rejects.toMatchObject({ code: 'skill_input_error' });
  expect(heard).toEqual([]);
  await call('get_cover', { id: '../../x?y#z' });
  expect(heard[0]?.url).toBe('/v1/covers/..%2F..%2Fx%3Fy%23z');
});

test('what the caller has not said is not sent, whatever default the description names', async () => {
  const properties = { state: { type: 'string', default: 'open' }, size: { type: 'integer', default: 3 }, default: { type: 'string' } };
  const schema = { type: 'object', properties };
  const patch = {
    operationId: 'change',
    parameters: [{ name: 'notify', in: 'query', schema: { type: 'boolean', default: true } }],
    requestBody: { content: { 'application/json': { schema } } },
    responses: { 200: { description: 'ok' } },
  };
  const { call, last, agent } = await called({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: { '/x': { patch } } });
  await call('change', { size: 4, default: 'given' });
  expect(last()).toMatchObject({ method: 'PATCH', url: '/v1/x' });
  expect(JSON.parse(String(last()?.body))).toEqual({ size: 4, default: 'given' });
  expect(agent.card.skills[0]?.input_schema).toMatchObject({ properties: { state: { default: 'open' }, notify: { default: true } } });
});

test('a DELETE is sent when a person says yes, and not when they say no', async () => {
  const questions: string[] = [];
  const answers = ['{"approve":false}', '{"approve":true}'];
  const onQuestion = ({ prompt }: { prompt: string }): string => {
    questions.push(prompt);
    return answers.shift() ?? '';
  };
  const { call, heard } = await called(library, undefined, { onQuestion });
  await expect(call('delete_book', { id: 3 })).rejects.toMatchObject({ status: 403 });
  expect(heard).toEqual([]);
  await call('delete_book', { id: 3 });
  expect(heard.map(({ method, url }) => `${method} ${url}`)).toEqual(['DELETE /v1/books/3']);
  expect(questions[0]).toContain('{"id":3}');
});

test('pages are fetched until there are no more, and next has the arguments to continue', async () => {
  const { call, heard } = await called(library, ({ url }, response) => {
    const page = Number(/cursor=(\d)/.exec(url)?.[1] ?? 1);
    json(response, { items: [{ id: page }], ...(page < 4 && { next_cursor: String(page + 1) }) });
  });
  expect((await call('books_list', { sort_by: 'x', max_pages: 2 })).result).toEqual({
    pages: [
      { items: [{ id: 1 }], next_cursor: '2' },
      { items: [{ id: 2 }], next_cursor: '3' },
    ],
    next: { sort_by: 'x', cursor: '3' },
  });
  expect((await call('books_list', { cursor: '3', max_pages: 9 })).result).toMatchObject({ next: null });
  expect(heard).toHaveLength(4);
});

test('a busy API is asked again where that does no harm; a refusal carries what the API said', async () => {
  let asked = 0;
  const { call, heard } = await called(library, (_heard, response) => {
    asked += 1;
    if (asked === 1) return void response.writeHead(503, { 'retry-after': '0' }).end();
    response.writeHead(422, { 'content-type': 'application/json' }).end('{"error":"no such title"}');
  });
  await expect(call('get_book', { path_id: 1 })).rejects.toMatchObject({ status: 422, message: expect.stringContaining('no such title') });
  expect(heard).toHaveLength(2);
  asked = 0;
  await expect(call('create_book', { title: 'X' })).rejects.toMatchObject({ status: 502 });
  expect(heard).toHaveLength(3);
});

test('bytes, and answers that are too long, become artifacts; text stays text', async () => {
  const { call } = await called(library, ({ url }, response) => {
    if (url.includes('covers'))
      response.writeHead(200, { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="c.png"' }).end(Buffer.from([1, 2]));
    else json(response, { long: 'x'.repeat(url.includes('/2') ? 2_000_000 : 2) });
  });
  const cover = await call('get_cover', { id: 'x' });
  expect(cover).toMatchObject({ result: { mime_type: 'image/png', size_bytes: 2 }, artifacts: [{ name: 'c.png' }] });
  expect((await call('get_book', { path_id: 1 })).result).toEqual({ long: 'xx' });
  expect((await call('get_book', { path_id: 2 })).result).toMatchObject({ mime_type: 'application/json' });
});

test('a redirect is not followed: it could lead anywhere', async () => {
  const { call, heard } = await called(library, (_heard, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
  await expect(call('get_book', { path_id: 1 })).rejects.toMatchObject({ status: 502 });
  expect(heard).toHaveLength(1);
});

test('over MCP what reads says so, and what deletes', async () => {
  const { agent } = await called(library);
  const policy = (id: string) => agent.card.skills.find((skill) => skill.id === id)?.policy;
  expect(policy('get_book')).toMatchObject({ read_only: true, idempotent: true });
  expect(policy('delete_book')).toMatchObject({ read_only: false, destructive: true });
});

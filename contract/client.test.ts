// What does not match the contract does not compile; what it sends is what the contract says.
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { ApiError, clientOf, createClient } from './client.ts';
import { eventStream, group, multipart } from './kit.ts';

const toys = group({
  get: {
    at: 'GET /v1/toys/{name}/files/{path:path}',
    summary: '',
    scope: 'public',
    params: z.object({ name: z.string(), path: z.string() }),
    query: z.object({ tag: z.array(z.string()).optional(), n: z.int().default(1) }),
    out: z.object({ name: z.string(), at: z.string().nullable() }),
    errors: [404],
  },
  make: {
    at: 'POST /v1/toys',
    summary: '',
    scope: 'account',
    body: z.strictObject({ size: z.int(), note: z.string().default('') }),
    out: z.object({ id: z.string() }),
    status: 201,
    errors: [401, 403],
  },
  drop: { at: 'DELETE /v1/toys', summary: '', scope: 'account', status: 204, errors: [401, 403] },
  follow: { at: 'GET /v1/toys/stream', summary: '', scope: 'public', out: eventStream(z.object({ n: z.int() })), errors: [] },
  upload: { at: 'POST /v1/toys/files', summary: '', scope: 'public', body: multipart(z.object({ source: z.string() })), status: 204, errors: [] },
});

function fakeServer(status: number, body: unknown) {
  const seen: { url: string; init: RequestInit | undefined }[] = [];
  const send: typeof fetch = async (url, init) => {
    seen.push({ url: String(url), init });
    return status === 204 ? new Response(null, { status }) : Response.json(body, { status });
  };
  return { seen, client: clientOf({ toys }, { baseUrl: 'http://api', token: async () => 'tok', fetch: send }) };
}

test('paths, queries, bodies and tokens go out as declared', async () => {
  const { seen, client } = fakeServer(200, { name: 'a', at: null });
  const out = await client.toys.get({ params: { name: 'a/b', path: 'x/y z' }, query: { tag: ['p', 'q'] } });
  expectTypeOf(out).toEqualTypeOf<{ name: string; at: string | null }>();
  expect(seen[0]?.url).toBe('http://api/v1/toys/a%2Fb/files/x/y%20z?tag=p&tag=q');
  await client.toys.make({ body: { size: 3 } }, { headers: { 'x-request-id': 'r' } });
  expect(seen[1]).toMatchObject({
    url: 'http://api/v1/toys',
    init: { method: 'POST', body: '{"size":3}', headers: { authorization: 'Bearer tok', 'content-type': 'application/json', 'x-request-id': 'r' } },
  });
});

test('a refusal is an ApiError with its status, code and detail; no content is undefined', async () => {
  const refused = fakeServer(404, { detail: { code: 'toy_not_found', message: 'no such toy', request_id: 'req_1' } }).client;
  const error = await refused.toys.get({ params: { name: 'a', path: 'b' } }).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 404, code: 'toy_not_found', message: 'no such toy', detail: { request_id: 'req_1' } });
  expect(
    await fakeServer(502, 'gateway')
      .client.toys.follow()
      .catch((one: unknown) => one),
  ).toMatchObject({ status: 502, code: 'unknown' });
  expect(await fakeServer(204, null).client.toys.drop()).toBeUndefined();
});

test('wrong calls do not compile', async () => {
  const { client } = fakeServer(200, {});
  // @ts-expect-error a parameter is missing
  await client.toys.get({ params: { name: 'a' } });
  // @ts-expect-error the route has parameters
  void client.toys.get().catch(() => undefined);
  // @ts-expect-error not a number
  await client.toys.make({ body: { size: 'big' } });
  // @ts-expect-error a member the body does not have
  await client.toys.make({ body: { size: 1, colour: 'red' } });
  // @ts-expect-error a form is FormData
  await client.toys.upload({ body: { source: 'x' } });
  // @ts-expect-error no such route
  expect(() => client.toys.paint()).toThrow();
  expectTypeOf(client.toys.follow).returns.resolves.toEqualTypeOf<Response>();
  expectTypeOf(createClient({ baseUrl: '' }).agents.mine).returns.resolves.toExtend<{ name: string }[]>();
});

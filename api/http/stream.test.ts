import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { bytes, eventStream, group, multipart, ndjson, passthrough } from '#contract/kit.ts';
import { PayloadTooLarge } from '#core/kernel/errors.ts';
import { cites } from '#test/spec/verifies.ts';
import type { Handlers } from './handlers.ts';
import { frame } from './stream.ts';
import { serveForTest, type TestApi } from './test/serve.ts';

const Count = z.strictObject({ n: z.int() });
const streams = group({
  count: { at: 'GET /v1/count', summary: 'Count', scope: 'public', query: z.object({ to: z.int() }), out: eventStream(Count), errors: [] },
  wait: { at: 'GET /v1/wait', summary: 'Wait', scope: 'public', out: eventStream(Count), errors: [] },
  flood: { at: 'GET /v1/flood', summary: 'Flood', scope: 'public', out: eventStream(z.strictObject({ text: z.string() })), errors: [] },
  fail: { at: 'GET /v1/fail', summary: 'Fail', scope: 'public', out: eventStream(Count), errors: [] },
  lines: { at: 'GET /v1/lines', summary: 'Lines', scope: 'public', out: ndjson(Count), errors: [] },
  raw: { at: 'GET /v1/raw', summary: 'Bytes', scope: 'public', out: bytes('application/octet-stream'), errors: [] },
  pass: { at: 'GET /v1/pass', summary: 'Pass', scope: 'public', query: z.object({ stream: z.boolean() }), out: passthrough(z.unknown()), errors: [404] },
  upload: {
    at: 'POST /v1/upload',
    summary: 'Up',
    scope: 'public',
    body: multipart(z.strictObject({ title: z.string(), source: z.string() })),
    out: z.strictObject({ title: z.string(), sha256: z.string() }),
    status: 201,
    errors: [413],
  },
  put: { at: 'PUT /v1/put', summary: 'Put', scope: 'public', body: bytes('application/octet-stream'), out: z.strictObject({ size: z.int() }), errors: [] },
});

const state: { produced: number; ended: number; parts: number; passed?: Readable } = { ended: 0, produced: 0, parts: 0 };
const handlers: Handlers<typeof streams> = {
  count: async function* (_ctx, { query }, http) {
    for (let n = Number(http.lastEventId ?? 0) + 1; n <= query.to; n++) yield { id: String(n), event: 'count', data: { n } };
  },
  wait: async function* (_ctx, _input, http) {
    try {
      if (!http.signal.aborted) await once(http.signal, 'abort');
    } finally {
      state.ended++;
    }
  },
  flood: async function* () {
    for (; ; state.produced++) yield { event: 'x', data: { text: 'x'.repeat(10_000) } };
  },
  fail: async function* () {
    yield { event: 'count', data: { n: 1 } };
    throw new Error('broke');
  },
  lines: async function* () {
    yield { n: 1 };
    yield { n: 2 };
  },
  raw: () => Readable.from([Buffer.from('ab'), Buffer.from('cd')]),
  pass: (_ctx, { query }, http) =>
    query.stream
      ? http.reply(200, state.passed ?? Readable.from(['event: a\ndata: 1\n\n']), { 'content-type': 'text/event-stream' })
      : http.reply(404, { detail: { code: 'skill_not_found' } }),
  upload: async (_ctx, { body }) => {
    const hash = createHash('sha256');
    let title = '';
    let size = 0;
    for await (const part of body) {
      state.parts += 1;
      if (part.kind === 'field') title = part.value;
      else
        for await (const chunk of part.stream) {
          if ((size += chunk.length) > 3_000_000) throw new PayloadTooLarge('source_too_large', 'at most 3 MB');
          hash.update(chunk);
        }
    }
    return { title, sha256: hash.digest('hex') };
  },
  put: async (_ctx, { body }) => {
    let size = 0;
    for await (const chunk of body) size += chunk.length;
    return { size };
  },
};

let api: TestApi<{ streams: typeof streams }>;
beforeAll(async () => {
  api = await serveForTest({ streams }, { streams: handlers }, { heartbeatMs: 20 });
});
afterAll(() => api.close());

const text = async (path: string, headers: Record<string, string> = {}) => (await fetch(api.url + path, { headers })).text();

test('events carry id, name and data, and resume after Last-Event-ID', async () => {
  expect(await text('/v1/count?to=2')).toBe('retry: 2000\nid: 1\nevent: count\ndata: {"n":1}\n\nid: 2\nevent: count\ndata: {"n":2}\n\n');
  expect(await text('/v1/count?to=3', { 'last-event-id': '2' })).toBe('retry: 2000\nid: 3\nevent: count\ndata: {"n":3}\n\n');
});

test('an id or a name cannot forge another event', () => {
  expect(frame({ id: '1\ndata: x', event: 'a\r\nid: 9', data: 'b\nc' })).toBe('id: 1 data: x\nevent: a  id: 9\ndata: "b\\nc"\n\n');
});

test('a silent stream beats, and its handler ends when the reader goes', async () => {
  const controller = new AbortController();
  const response = await fetch(`${api.url}/v1/wait`, { signal: controller.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  while (!seen.includes(': heartbeat\n')) seen += (await reader?.read())?.value ?? '';
  const before = state.ended;
  controller.abort();
  await expect.poll(() => state.ended).toBe(before + 1);
});

test('a reader that does not read holds the producer back', async () => {
  const call = request(`${api.url}/v1/flood`).end();
  const [response] = await once(call, 'response');
  response.pause();
  let last = -1;
  await expect
    .poll(
      () => {
        const still = last === state.produced && last > 0;
        last = state.produced;
        return still;
      },
      { interval: 100 },
    )
    .toBe(true);
  expect(state.produced * 10_000).toBeLessThan(50_000_000);
  call.destroy();
});

test('a stream that fails breaks the connection, so that it does not look complete', async () => {
  await expect(text('/v1/fail')).rejects.toThrow();
  expect(api.logs.join('')).toContain('a stream failed');
});

test('lines, bytes and passed-through answers', async () => {
  const lines = await fetch(`${api.url}/v1/lines`);
  expect([lines.headers.get('content-type'), await lines.text()]).toEqual(['application/x-ndjson; charset=utf-8', '{"n":1}\n{"n":2}\n']);
  expect(await text('/v1/raw')).toBe('abcd');
  const events = await fetch(`${api.url}/v1/pass?stream=true`);
  expect([events.headers.get('content-type'), await events.text()]).toEqual(['text/event-stream', 'event: a\ndata: 1\n\n']);
  const refused = await fetch(`${api.url}/v1/pass?stream=false`);
  expect([refused.status, await refused.json()]).toEqual([404, { detail: { code: 'skill_not_found' } }]);
});

const form = (bytesCount: number, names: [string, string] = ['title', 'source']): FormData => {
  const data = new FormData();
  data.set(names[0], 'hello');
  data.set(names[1], new Blob([Buffer.alloc(bytesCount, 7)], { type: 'application/gzip' }), 'a.tgz');
  return data;
};

test('a form is streamed part by part', async () => {
  const sha256 = createHash('sha256').update(Buffer.alloc(2_500_000, 7)).digest('hex');
  expect(await api.as().streams.upload({ body: form(2_500_000) })).toEqual({ title: 'hello', sha256 });
});

test('an upload beyond the ceiling gets its 413, also when it says nothing of its size', cites('agents.tarball_ceiling'), async () => {
  expect((await fetch(`${api.url}/v1/upload`, { method: 'POST', body: form(5_000_000) })).status).toBe(413);
  const chunked = new Response(form(5_000_000));
  const response = await fetch(`${api.url}/v1/upload`, {
    method: 'POST',
    body: chunked.body,
    duplex: 'half',
    headers: { 'content-type': chunked.headers.get('content-type') ?? '' },
  });
  expect(response.status).toBe(413);
});

test('a form that is none, has foreign parts, or breaks off is 422', async () => {
  const send = (body: string | FormData, type?: string) =>
    fetch(`${api.url}/v1/upload`, { method: 'POST', body, headers: type ? { 'content-type': type } : {} }).then((r) => r.status);
  expect(await send('{}', 'application/json')).toBe(422);
  expect(await send('x', 'multipart/form-data')).toBe(422);
  expect(await send('--b\r\nnonsense', 'multipart/form-data; boundary=b')).toBe(422);
  expect(await send('--b\r\ncontent-disposition: form-data; name="source"; filename="a"\r\n\r\nabc', 'multipart/form-data; boundary=b')).toBe(422);
  expect(await send(form(10, ['title', 'other']))).toBe(422);
});

test('a caller who leaves in the middle of an upload leaves nothing waiting', async () => {
  const { parts } = state;
  const call = request(`${api.url}/v1/upload`, { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=b' } });
  call.on('error', () => undefined);
  call.write('--b\r\ncontent-disposition: form-data; name="source"; filename="a"\r\n\r\nabc');
  await expect.poll(() => state.parts).toBe(parts + 1);
  call.destroy();
  await expect.poll(() => api.logs.filter((line) => line.includes('"cut":true') && line.includes('/v1/upload')).length).toBe(1);
});

test('bytes are read as they come', async () => {
  expect(await api.as().streams.put({ body: new Blob([Buffer.alloc(3_000_000)]) })).toEqual({ size: 3_000_000 });
});

test('shutdown ends streams and lets the answer in flight finish', async () => {
  const own = await serveForTest({ streams }, { streams: handlers });
  const response = await fetch(`${own.url}/v1/wait`);
  const rest = response.text();
  await own.close();
  expect(await rest).toBe('retry: 2000\n');
});

test("an agent's events that are passed on are kept by comments while it says nothing", async () => {
  const agent = new PassThrough();
  state.passed = agent;
  agent.write('event: question\ndata: 1\n\n');
  const response = await fetch(`${api.url}/v1/pass?stream=true`);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  while (!seen.includes('data: 1\n\n:\n')) seen += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  await expect.poll(() => agent.destroyed).toBe(true);
});

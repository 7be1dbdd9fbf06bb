// The API's doors: HEAD, slashes too many, packed bodies and answers, streams that are over, methods that
// nothing takes.
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { eventStream, group, ndjson } from '#contract/kit.ts';
import { ask } from '#test/protocols/ask.ts';
import { serveForTest, type TestApi } from './test/serve.ts';

const Word = z.strictObject({ word: z.string() });
const doors = group({
  list: { at: 'GET /v1/agents/{name}/words', summary: '', scope: 'public', params: z.object({ name: z.string() }), out: Word, errors: [] },
  add: { at: 'POST /v1/words', summary: '', scope: 'public', body: Word, out: Word, errors: [413], bodyBytes: 65_536 },
  long: { at: 'GET /v1/long', summary: '', scope: 'public', out: Word, errors: [] },
  session: { at: 'GET /v1/redeem', summary: '', scope: 'public', out: Word, redirects: true, errors: [] },
  events: { at: 'GET /v1/events', summary: '', scope: 'public', out: eventStream(Word), errors: [] },
  lines: { at: 'GET /v1/lines', summary: '', scope: 'public', out: ndjson(Word), errors: [] },
});
const LONG = 'again '.repeat(2_000);

let api: TestApi<{ doors: typeof doors }>;
let redeemed = 0;
let over = false;
let begun = 0;

beforeAll(async () => {
  async function* events() {
    begun += 1;
    await Promise.resolve();
    if (!over) yield { id: '2', event: 'word', data: { word: 'two' } };
  }
  async function* lines() {
    begun += 1;
    await Promise.resolve();
    yield { word: 'one' };
  }
  api = await serveForTest(
    { doors },
    {
      doors: {
        list: (_ctx, { params }) => ({ word: params.name }),
        add: (_ctx, { body }) => body,
        long: () => ({ word: LONG }),
        session: () => ({ word: `code ${(redeemed += 1)} ${LONG}` }),
        events,
        lines,
      },
    },
  );
});
afterAll(() => api.close());

test('HEAD is wherever GET is: the same headers, no body, and no code of sign-in is used up', async () => {
  const [head, get] = [await ask(api.url, '/v1/agents/a/words', { method: 'HEAD' }), await ask(api.url, '/v1/agents/a/words')];
  expect([head.status, head.text, head.headers['content-length'], head.headers['content-type']]).toEqual([
    200,
    '',
    get.headers['content-length'],
    get.headers['content-type'],
  ]);
  expect(await ask(api.url, '/v1/redeem', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  expect(redeemed).toBe(0);
  const before = begun;
  expect((await ask(api.url, '/v1/events', { method: 'HEAD' })).headers['content-type']).toContain('text/event-stream');
  expect((await ask(api.url, '/v1/lines', { method: 'HEAD' })).headers['content-type']).toContain('application/x-ndjson');
  expect(begun).toBe(before);
  expect((await ask(api.url, '/v1/words', { method: 'HEAD' })).status).toBe(405);
});

test('slashes too many are served in place below /v1/agents, and nowhere else', async () => {
  for (const path of ['/v1/agents/a/words', '/v1/agents/a/words/', '/v1//agents/a/words', '//v1/agents//a//words?x=1//2'])
    expect([path, (await ask(api.url, path)).text]).toEqual([path, '{"word":"a"}']);
  for (const path of ['/v1//long', '//v1/long', '/v1/agents/..//long', '/v1/%2fagents/a/words'])
    expect([path, (await ask(api.url, path)).status]).toEqual([path, 404]);
});

test('a packed body is read, bounded after unpacking; what nothing unpacks is 415', async () => {
  const send = (body: Buffer, encoding: string) =>
    ask(api.url, '/v1/words', { method: 'POST', headers: { 'content-type': 'application/json', 'content-encoding': encoding }, body });
  const body = Buffer.from('{"word":"packed"}');
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(body)],
    ['br', brotliCompressSync(body)],
    ['zstd', zstdCompressSync(body)],
  ] as const)
    // prettier-ignore
    expect([encoding, (await send(bytes, encoding)).text]).toEqual([encoding, '{"word":"packed"}']);
  const large = Buffer.from(JSON.stringify({ word: 'x'.repeat(1_000_000) }));
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(large)],
    ['br', brotliCompressSync(large, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync(large)],
  ] as const)
    // prettier-ignore
    expect([encoding, (await send(bytes, encoding)).status]).toEqual([encoding, 413]);
  const unknown = await send(body, 'compress');
  expect([unknown.status, unknown.headers['accept-encoding']]).toEqual([415, 'gzip, br, zstd, deflate']);
  expect((await send(body, 'gzip')).status).toBe(422);
});

test('a large answer is packed for who takes it; beside a cookie only for a page of ours, and never an answer of sign-in', async () => {
  const get = (headers: Record<string, string>, path = '/v1/long') => ask(api.url, path, { headers: { 'accept-encoding': 'gzip, br', ...headers } });
  const packed = await get({});
  expect([packed.headers['content-encoding'], packed.headers['vary']]).toEqual(['br', expect.stringMatching(/accept-encoding/i)]);
  expect(JSON.parse(brotliDecompressSync(packed.bytes).toString())).toEqual({ word: LONG });
  const encoding = async (headers: Record<string, string>, path?: string) => (await get(headers, path)).headers['content-encoding'];
  const cookie = '__Host-svc_session=ada';
  expect([
    await encoding({ cookie }),
    await encoding({ cookie, 'sec-fetch-site': 'cross-site' }),
    await encoding({ cookie, 'sec-fetch-site': 'same-site' }),
  ]).toEqual([undefined, undefined, undefined]);
  expect([await encoding({ cookie, 'sec-fetch-site': 'same-origin' }), await encoding({ 'accept-encoding': 'gzip;q=1, br;q=0' })]).toEqual(['br', 'gzip']);
  expect([await encoding({ 'accept-encoding': 'identity' }), await encoding({}, '/v1/redeem'), await encoding({}, '/v1/agents/a/words')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  // The same bytes for everyone: packed once, and known again by their tag.
  const document = await get({}, '/v1/openapi.json');
  expect([document.headers['content-encoding'], document.headers['etag']]).toEqual(['br', expect.stringMatching(/^W\//)]);
  expect((await get({ 'if-none-match': String(document.headers['etag']) }, '/v1/openapi.json')).status).toBe(304);
});

test('who connects again after the last event gets 204, and no empty line stands before the first', async () => {
  const first = await ask(api.url, '/v1/events');
  expect([first.status, first.text]).toEqual([200, 'retry: 2000\nid: 2\nevent: word\ndata: {"word":"two"}\n\n']);
  const more = await ask(api.url, '/v1/events', { headers: { 'last-event-id': '1' } });
  expect([more.status, more.text]).toEqual([200, first.text]);
  over = true;
  expect(await ask(api.url, '/v1/events', { headers: { 'last-event-id': '2' } })).toMatchObject({ status: 204, text: '' });
  expect((await ask(api.url, '/v1/events')).status).toBe(200);
});

test('405 names what an address takes, for methods that nothing takes too', async () => {
  for (const [method, path, allow] of [
    ['PROPFIND', '/v1/words', 'POST'],
    ['DELETE', '/v1/long', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['PUT', '/v1/openapi.json', 'GET, HEAD'],
  ] as const) {
    const { status, headers } = await ask(api.url, path, { method });
    expect([method, path, status, headers['allow']]).toEqual([method, path, 405, allow]);
  }
  const { hostname, port } = new URL(api.url);
  const say = async (bytes: string): Promise<string> => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(bytes);
    return text(socket);
  };
  expect(await say('BREW /v1/words HTTP/1.1\r\nhost: localhost\r\n\r\n')).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n[\s\S]*allow: GET, HEAD, POST/);
  expect(await say('\u0016\u0003\u0001 junk\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
});

test('localhost by IPv6 is the same API', async () => {
  const { port } = new URL(api.url);
  const answered = await fetch(`http://[::1]:${port}/v1/agents/a/words`).then((response) => response.text());
  expect(answered).toBe('{"word":"a"}');
});

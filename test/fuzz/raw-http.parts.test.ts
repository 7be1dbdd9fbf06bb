// Bytes from strangers against the API as users run it: API, agents' hosts, sign-in, and an agent that
// answers junk. After each of them the process must still answer and have logged no error. A failure names
// its seed: FUZZ_SEED runs the same requests again, FUZZ_SHRINK=1 shrinks them (minutes), FUZZ_COUNT sets
// their number.
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { socketOf } from '../support/agent-socket.ts';
import { createPool } from '#db/pool.ts';
import { openKeyFile } from '#drivers/vault/key-file.ts';
import { hostRuntime } from '#drivers/runtime/client.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { liveAgent } from '../support/runs.ts';
import { addUser, testCtx } from '../support/verbs.ts';
import { rawRequests, sendRaw, type Surface } from './raw-http.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
const numRuns = Number(process.env['FUZZ_COUNT'] ?? 60);

// Each waits until the process has answered: a second on a busy machine.
vi.setConfig({ testTimeout: 120_000 + numRuns * 1_000 });

let api: ApiProcess;
let agent: { name: string };
let instance: Server;
/** What the agent's server says to the next request. */
let agentSays = Buffer.alloc(0);
/** Each is checked against the request that made it, and no later one. */
let errorsSeen = 0;

beforeAll(async () => {
  api = await startApiProcess();
  const db = createPool({ connectionString: api.databaseUrl, max: 2 });
  const runtime = hostRuntime({ socketPath: api.hostSocket });
  const ctx = testCtx(db, { actor: { kind: 'anonymous' }, vault: await openKeyFile(api.keyFile), runtime });
  const live = await liveAgent(ctx, await addUser(db), { visibility: 'public' });
  agent = live;
  const socketPath = socketOf(runtime.address(live.instanceId));
  await mkdir(dirname(socketPath), { recursive: true });
  instance = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(agentSays));
  });
  await new Promise<void>((resolve) => instance.listen(socketPath, resolve));
  await db.destroy();
  // Else nothing of what follows would reach the agent.
  agentSays = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nreached');
  const bytes = Buffer.from(`GET /x HTTP/1.1\r\nhost: ${agent.name}.localhost:${api.port}\r\nconnection: close\r\n\r\n`);
  expect(await sendRaw(api.port, { bytes, cuts: [], leave: false })).toContain('reached');
});
afterAll(async () => {
  instance.close();
  await api.kill();
});

/** Resolves when the process has answered and written everything it had to write before. */
async function stillWell(): Promise<void> {
  const id = `fuzz-${randomUUID()}`;
  const answer = await fetch(`${api.url}/healthz`, { headers: { 'x-request-id': id, connection: 'close' } });
  expect(answer.status).toBe(200);
  await expect.poll(() => api.log().includes(id)).toBe(true);
  const fresh = api.errors().slice(errorsSeen);
  errorsSeen += fresh.length;
  expect(fresh).toEqual([]);
}

/** A refusal, or the first frame of a server of HTTP/2, which the port speaks too. */
const HTTP1_OR_2 = /^(?:HTTP\/1\.1 [1-5]\d\d |[\s\S]{3}\x04)/;
const isHttp2 = (bytes: Buffer): boolean => bytes.toString('latin1').startsWith('PRI ');

async function attack(surface: Surface): Promise<void> {
  await fc.assert(
    fc.asyncProperty(rawRequests(surface), async (request) => {
      const answered = await sendRaw(api.port, request, stillWell);
      if (answered !== '') expect(answered).toMatch(isHttp2(request.bytes) ? HTTP1_OR_2 : /^HTTP\/1\.1 [1-5]\d\d /);
      expect(answered).not.toMatch(/^HTTP\/1\.1 500 /m);
      await stillWell();
    }),
    { seed, numRuns, endOnFailure: process.env['FUZZ_SHRINK'] !== '1' },
  );
}

test('the packets that once ended the API: each is refused as it should be', async () => {
  const refusal = async (bytes: string): Promise<{ status: number; code: string }[]> => {
    const socket = connect(api.port, '127.0.0.1');
    socket.write(Buffer.from(bytes, 'latin1'));
    const answered = await text(socket);
    return [...answered.matchAll(/^HTTP\/1\.1 (\d+) [\s\S]*?\r\n\r\n(\{"detail".*\})?/gm)].map(([, status, body]) => ({
      status: Number(status),
      code: body === undefined ? '' : String((JSON.parse(body) as { detail: { code: string } }).detail.code),
    }));
  };
  const malformed = { status: 400, code: 'malformed_request' };
  expect(await refusal('GET /docs/api HTTP/1.1\r\nHost: localhost\r\n\r\nGARBAGE\r\n\r\n')).toEqual([{ status: 200, code: '' }, malformed]);
  expect(await refusal('POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}{}{}\r\n\r\n')).toEqual([{ status: 404, code: 'route_not_found' }]);
  expect(await refusal('POST /v1/agents HTTP/1.1\r\nHost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello')).toContainEqual(malformed);
  expect(await refusal('\x16\x03\x01\x02')).toEqual([malformed]);
  expect(await refusal(`GET / HTTP/1.1\r\nHost: localhost\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`)).toEqual([{ status: 431, code: 'headers_too_large' }]);
  expect(await refusal(`POST /v1/agents HTTP/1.1\r\nHost: localhost\r\ntransfer-encoding: chunked\r\n\r\n5;${'x'.repeat(20_000)}\r\nhello`)).toContainEqual({
    status: 413,
    code: 'chunk_extensions_too_large',
  });
  await stillWell();
}); // prettier-ignore

test(`${numRuns} raw requests to the API (FUZZ_SEED=${seed})`, () =>
  attack({ host: `localhost:${api.port}`, paths: ['/docs', '/', '/agents/x', '/assets/x.js', '/v1/agents', '/v1/agents/mine', '/v1/me', '/v1/auth/device', '/v1/files/a', '/v1/jobs/x/events', '/sign-in/confirm', '/v1/public/agents'] }),
); // prettier-ignore

test(`${numRuns} raw requests to an agent's host (FUZZ_SEED=${seed})`, async () => {
  agentSays = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
  await attack({
    host: `${agent.name}.localhost:${api.port}`,
    paths: ['/', '/invoke/work', '/mcp', '/a2a', '/v1/message:send', '/.svc/session', '/.svc/session/start', '/ws'],
  });
});

test(`${numRuns} raw requests to sign-in (FUZZ_SEED=${seed})`, () =>
  attack({ host: `localhost:${api.port}`, paths: ['/idp/auth', '/idp/token', '/idp/interaction/abc', '/idp/device', '/idp/me', '/idp/session/end', '/idp/.well-known/openid-configuration', '/idp/jwks'] }),
); // prettier-ignore

test(`${numRuns} answers of an agent that are no HTTP (FUZZ_SEED=${seed})`, async () => {
  const good = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const answers = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(fc.nat(good.length), fc.uint8Array({ maxLength: 8 })).map(([at, bytes]) => Buffer.concat([Buffer.from(good.slice(0, at)), bytes, Buffer.from(good.slice(at))])),
    fc.constantFrom('HTTP/1.1 999 X\r\n\r\n', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nhello', 'HTTP/1.1 204 No\r\ncontent-length: 5\r\n\r\nhello',
      'HTTP/1.1 200 OK\r\nset-cookie: a=\xff\xfe\r\ncontent-length: 0\r\n\r\n', 'HTTP/1.1 200 OK\r\nx: \u{1}\r\n\r\n', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', 'HTTP/1.1 302 Found\r\nlocation: \xe2\x82\xac\r\ncontent-length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nx-svc-runtime-error: \xff\r\ncontent-length: 0\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: x').map((line) => Buffer.from(line, 'latin1')),
  ); // prettier-ignore
  const ways = fc.constantFrom(
    'GET / HTTP/1.1',
    'POST /invoke/work HTTP/1.1',
    'POST /mcp HTTP/1.1',
    'GET /ws HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket',
  );
  await fc.assert(
    fc.asyncProperty(answers, ways, async (answer, way) => {
      agentSays = Buffer.from(answer);
      const bytes = Buffer.from(`${way}\r\nhost: ${agent.name}.localhost:${api.port}\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`);
      await sendRaw(api.port, { bytes, cuts: [], leave: false });
      await stillWell();
    }),
    { seed, numRuns },
  );
});

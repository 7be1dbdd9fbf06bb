import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pooledAgentHttp } from './pooled.ts';
import { createAgentPools } from './pools.ts';
import { AgentUnreachable } from './port.ts';

const pools = createAgentPools({ connections: 4, inFlight: 6, pools: 2, idleMs: 30, connectMs: 1_000 });
const http = pooledAgentHttp(pools);
let folder: string;
let socketPath: string;
let server: Server;
let cancelled: () => void = () => undefined;
/** Goes on with an answer that stopped in its middle. */
let goOn: () => void = () => undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-http-'));
  socketPath = join(folder, 'http.sock');
  server = createServer((req, res) => {
    if (req.url === '/invoke/hang') {
      res.on('close', () => cancelled());
      return;
    }
    if (req.url === '/invoke/pause') {
      res.write('so far; ');
      goOn = () => void res.end('and on');
      return;
    }
    if (req.url === '/invoke/asleep') return void res.writeHead(503, { 'x-svc-runtime-error': 'wake_queue_full' }).end('{}');
    void text(req).then((body) => res.setHeader('x-seen', String(req.headers.authorization)).end(JSON.stringify({ path: req.url, body: JSON.parse(body) })));
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
});

afterAll(async () => {
  await pools.close();
  server.close();
  await rm(folder, { recursive: true });
});

const request = {
  method: 'POST',
  path: '/invoke/greet',
  body: '{"name":"Ada"}',
  headers: { authorization: 'Bearer k' },
  signal: new AbortController().signal,
  timeoutMs: 5_000,
} as const;

test('posts the arguments to the skill over the instance socket and hands the answer over', async () => {
  const answer = await http.send({ socketPath }, request);
  expect(answer.status).toBe(200);
  expect(answer.headers['x-seen']).toBe('Bearer k');
  expect(JSON.parse(await text(answer.body))).toEqual({ path: '/invoke/greet', body: { name: 'Ada' } });
});

test('an instance that is not there is refused, with nothing claimed about the agent', async () => {
  await expect(http.send({ socketPath: join(folder, 'none.sock') }, request)).rejects.toMatchObject({ reason: 'refused' });
});

test('a host that cannot wake the agent says so in its place', async () => {
  await expect(http.send({ socketPath }, { ...request, path: '/invoke/asleep' })).rejects.toMatchObject({ reason: 'busy' });
});

test('an agent that does not answer in time is a timeout', async () => {
  const late = http.send({ socketPath }, { ...request, path: '/invoke/hang', timeoutMs: 50 });
  await expect(late).rejects.toBeInstanceOf(AgentUnreachable);
  await expect(late).rejects.toMatchObject({ reason: 'timeout' });
});

test('an answer that stops in its middle is cut after the time, unless whoever reads it decides', async () => {
  const cut = await http.send({ socketPath }, { ...request, path: '/invoke/pause', timeoutMs: 300 });
  const kept = await http.send({ socketPath }, { ...request, path: '/invoke/pause', timeoutMs: 300, silenceMs: 0 });
  await expect(text(cut.body)).rejects.toThrow(/timeout/i);
  goOn();
  expect(await text(kept.body)).toBe('so far; and on');
});

test('a caller that leaves ends the call at the agent too', async () => {
  const seen = new Promise<void>((resolve) => (cancelled = resolve));
  const caller = new AbortController();
  const call = http.send({ socketPath }, { ...request, path: '/invoke/hang', signal: caller.signal });
  setTimeout(() => caller.abort(), 20);
  await expect(call).rejects.toMatchObject({ reason: 'gone' });
  await seen;
});

test('as many calls as may wait; the next one is told to come back, until one has ended', async () => {
  const callers = Array.from({ length: 6 }, () => new AbortController());
  const calls = callers.map(({ signal }) => http.send({ socketPath }, { ...request, path: '/invoke/hang', signal }).catch((error: unknown) => error));
  await expect(http.send({ socketPath }, request)).rejects.toMatchObject({ reason: 'busy' });
  for (const caller of callers) caller.abort();
  await Promise.all(calls);
  const answer = await http.send({ socketPath }, request);
  expect(await text(answer.body)).toContain('Ada');
  await expect.poll(() => pools.take(socketPath)?.inFlight).toBe(1);
});

test('streams that go on, as many as one worker follows, leave a call its connection', async () => {
  const many = createAgentPools();
  const held = new AbortController();
  const streams = Array.from({ length: 500 }, () =>
    pooledAgentHttp(many)
      .send({ socketPath }, { ...request, path: '/invoke/hang', signal: held.signal })
      .catch((error: unknown) => error),
  );
  try {
    const answer = await pooledAgentHttp(many).send({ socketPath }, request);
    expect(await text(answer.body)).toContain('Ada');
  } finally {
    held.abort();
    await Promise.all(streams);
    await many.close();
  }
});

test('pools are bounded: the one unused for longest goes, one in use stays, idle ones go by themselves', async () => {
  const few = createAgentPools({ connections: 1, inFlight: 4, pools: 2, idleMs: 20, connectMs: 1_000 });
  const [busy, idle] = [few.take('/a'), few.take('/b')];
  if (!busy || !idle) throw new Error('the first two are there');
  idle.inFlight--;
  const third = few.take('/c');
  expect([busy.pool.closed, idle.pool.closed, third?.pool.closed]).toEqual([false, true, false]);
  busy.inFlight--;
  await expect.poll(() => busy.pool.closed).toBe(true);
  await few.close();
});

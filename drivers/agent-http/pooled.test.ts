import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tlsService } from '#test/support/tls.ts';
import { pooledAgentHttp } from './pooled.ts';
import { createAgentPools } from './pools.ts';
import { AgentUnreachable } from './port.ts';

const pools = createAgentPools({ connections: 4, inFlight: 6, pools: 2, idleMs: 30, connectMs: 1_000 });
const http = pooledAgentHttp(pools);
let folder: string;
let address: { unix: string };
let server: Server;
let cancelled: () => void = () => undefined;
let came: () => void = () => undefined;
/** Goes on with an answer that stopped in its middle. */
let goOn: () => void = () => undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-http-'));
  address = { unix: join(folder, 'http.sock') };
  server = createServer((req, res) => {
    if (req.url === '/invoke/hang') {
      came();
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
  await new Promise<void>((resolve) => server.listen(address.unix, resolve));
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
  const answer = await http.send({ address }, request);
  expect(answer.status).toBe(200);
  expect(answer.headers['x-seen']).toBe('Bearer k');
  expect(JSON.parse(await text(answer.body))).toEqual({ path: '/invoke/greet', body: { name: 'Ada' } });
});

test('an instance that does not exist is refused, with nothing claimed about the agent', async () => {
  await expect(http.send({ address: { unix: join(folder, 'none.sock') } }, request)).rejects.toMatchObject({ reason: 'refused' });
});

test('a host that cannot wake the agent says so in its place', async () => {
  await expect(http.send({ address }, { ...request, path: '/invoke/asleep' })).rejects.toMatchObject({ reason: 'busy' });
});

test('an agent that does not answer in time is a timeout', async () => {
  const late = http.send({ address }, { ...request, path: '/invoke/hang', timeoutMs: 50 });
  await expect(late).rejects.toBeInstanceOf(AgentUnreachable);
  await expect(late).rejects.toMatchObject({ reason: 'timeout' });
});

test('an answer that stops in its middle is cut after the time, unless its reader decides', async () => {
  const cut = await http.send({ address }, { ...request, path: '/invoke/pause', timeoutMs: 300 });
  const kept = await http.send({ address }, { ...request, path: '/invoke/pause', timeoutMs: 300, silenceMs: 0 });
  await expect(text(cut.body)).rejects.toThrow(/timeout/i);
  goOn();
  expect(await text(kept.body)).toBe('so far; and on');
});

test('a caller that leaves ends the call at the agent too', async () => {
  const seen = new Promise<void>((resolve) => (cancelled = resolve));
  const caller = new AbortController();
  came = () => caller.abort();
  const call = http.send({ address }, { ...request, path: '/invoke/hang', signal: caller.signal });
  await expect(call).rejects.toMatchObject({ reason: 'gone' });
  await seen;
  came = () => undefined;
});

test('as many calls as may wait; the next one is refused as busy, until one has ended', async () => {
  const callers = Array.from({ length: 6 }, () => new AbortController());
  const calls = callers.map(({ signal }) => http.send({ address }, { ...request, path: '/invoke/hang', signal }).catch((error: unknown) => error));
  await expect(http.send({ address }, request)).rejects.toMatchObject({ reason: 'busy' });
  for (const caller of callers) caller.abort();
  await Promise.all(calls);
  const answer = await http.send({ address }, request);
  expect(await text(answer.body)).toContain('Ada');
  await expect.poll(() => pools.take(address)?.inFlight).toBe(1);
});

test('streams that go on, as many as one worker follows, leave a call its connection', async () => {
  const many = createAgentPools();
  const held = new AbortController();
  const streams = Array.from({ length: 500 }, () =>
    pooledAgentHttp(many)
      .send({ address }, { ...request, path: '/invoke/hang', signal: held.signal })
      .catch((error: unknown) => error),
  );
  try {
    const answer = await pooledAgentHttp(many).send({ address }, request);
    expect(await text(answer.body)).toContain('Ada');
  } finally {
    held.abort();
    await Promise.all(streams);
    await many.close();
  }
});

test('an agent is reached at a port of the network, with TLS and without', async () => {
  const greet = (_req: IncomingMessage, res: ServerResponse): void => void res.end('from afar');
  const plain = createServer(greet);
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const secure = await tlsService('localhost', greet);
  const authorities = getCACertificates('default');
  try {
    const at = (port: number, tls: boolean) => ({ address: { host: 'localhost', port, tls } });
    const { port } = plain.address() as AddressInfo;
    expect(await text((await http.send(at(port, false), request)).body)).toBe('from afar');
    // No authority that this process trusts signed its certificate.
    await expect(http.send(at(secure.port, true), request)).rejects.toMatchObject({ reason: 'refused' });
    setDefaultCACertificates([...authorities, await readFile(secure.caFile, 'utf8')]);
    expect(await text((await http.send(at(secure.port, true), request)).body)).toBe('from afar');
  } finally {
    setDefaultCACertificates(authorities);
    plain.closeAllConnections();
    plain.close();
    await secure.close();
  }
});

test('pools are bounded: the one unused for longest goes, one in use stays, idle ones go on their own', async () => {
  const few = createAgentPools({ connections: 1, inFlight: 4, pools: 2, idleMs: 20, connectMs: 1_000 });
  const [busy, idle] = [few.take({ unix: '/a' }), few.take({ unix: '/b' })];
  if (!busy || !idle) throw new Error('the first two are there');
  idle.inFlight--;
  const third = few.take({ unix: '/c' });
  expect([busy.pool.closed, idle.pool.closed, third?.pool.closed]).toEqual([false, true, false]);
  busy.inFlight--;
  await expect.poll(() => busy.pool.closed).toBe(true);
  await few.close();
});

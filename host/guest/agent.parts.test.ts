import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { lineSplitter, parseJson } from '#drivers/runtime/lines.ts';
import { GuestEvent } from '#drivers/runtime/wire.ts';
import type { AgentConfig } from './config.ts';

// The guest's entry as a plain process; unix sockets of this test stand where the guest's first process has
// its own.
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function run(bundle: string, identity: Partial<AgentConfig> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'svc-guest-'));
  cleanups.push(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, 'svc-agent.mjs'), bundle);
  const received: GuestEvent[] = [];
  const sockets: Socket[] = [];
  const host = createServer((socket) => {
    sockets.push(socket);
    const lines = lineSplitter((line) => received.push(GuestEvent.parse(parseJson(line))));
    socket.on('data', (chunk) => lines.push(chunk)).on('error', () => undefined);
  }).listen(join(dir, 'events.sock'));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    host.close();
  });
  const free = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => free.once('listening', resolve));
  const egress_port = (free.address() as AddressInfo).port;
  await new Promise((resolve) => free.close(resolve));
  const at = (name: string): string => join(dir, name);
  const config: AgentConfig = {
    env: {},
    secrets: {},
    api_key: 'k1',
    grant_key: '',
    bundle: at('svc-agent'),
    app: dir,
    http: at('http.sock'),
    control: at('agent.sock'),
    events: at('events.sock'),
    egress: at('egress.sock'),
    egress_port,
    proxy_env: {},
    ...identity,
  };
  const child = spawn(process.execPath, ['--no-warnings', join(import.meta.dirname, 'agent.ts')], { stdio: ['pipe', 'pipe', 'pipe'], cwd: dir });
  cleanups.push(() => ended(child));
  child.stdin.end(JSON.stringify(config));
  return { dir, config, received, child, sockets, get: (path: string) => get(config.http, path), control: (line: unknown) => ask(config.control, line) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}

const get = (socketPath: string, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ socketPath, path, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk))).on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });

const ask = (path: string, line: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    let text = '';
    connect(path)
      .on('data', (chunk) => (text += chunk.toString()))
      .on('end', () => resolve(parseJson(text)))
      .on('error', reject)
      .write(`${JSON.stringify(line)}\n`);
  });

const agent = `
import { createServer } from 'node:http';
const seen = process.env.GREETING;
let now, slow;
console.log('loaded'); console.error('a warning');
export const start = async (options) => (now = options, {
  update: (credentials) => { now = credentials; },
  shutdown: async () => console.log('bye'),
  server: createServer((req, res) => {
    if (req.url === '/slow') return void (slow = res);
    if (req.url === '/go-on') slow.end('slow');
    res.end(JSON.stringify({ seen, key: now.apiKey, secret: now.secrets.TOKEN, env: process.env.TOKEN ?? null, cwd: process.cwd() }));
  }),
});`;

test('identity is there before user code runs; output becomes log events; a clone gets another identity', async () => {
  const guest = await run(agent, { env: { GREETING: 'hi' }, secrets: { TOKEN: 't1' } });
  await vi.waitFor(() => expect(guest.received).toContainEqual({ t: 'ready' }), 10_000);
  expect(parseJson(await guest.get('/'))).toEqual({ seen: 'hi', key: 'k1', secret: 't1', env: null, cwd: guest.dir });
  expect(guest.received).toContainEqual(expect.objectContaining({ t: 'log', s: 'stdout', x: 'loaded' }));
  expect(guest.received).toContainEqual(expect.objectContaining({ t: 'log', s: 'stderr', x: 'a warning' }));
  expect(await guest.control({ op: 'configure', identity: { env: {}, secrets: { TOKEN: 't2' }, api_key: 'k2', grant_key: '' } })).toEqual({ ok: true });
  expect(parseJson(await guest.get('/'))).toMatchObject({ key: 'k2', secret: 't2' });
  expect(await guest.control({ op: 'other' })).toMatchObject({ ok: false });
});

test('long requests are reported, and again to a host that came back', async () => {
  const guest = await run(agent);
  await vi.waitFor(() => expect(guest.received).toContainEqual({ t: 'ready' }), 10_000);
  const slow = guest.get('/slow');
  await vi.waitFor(() => expect(guest.received).toContainEqual({ t: 'busy', n: 1, w: 0 }), 5_000);
  const before = guest.received.length;
  guest.sockets.forEach((socket) => socket.destroy());
  await guest.get('/go-on');
  expect(await slow).toBe('slow');
  await vi.waitFor(() => expect(guest.received.slice(before)).toEqual(expect.arrayContaining([{ t: 'ready' }, { t: 'busy', n: 0, w: 0 }])), 5_000);
});

test('waiting is repeatedly reported as no work; work without a request is reported, until nothing is open', async () => {
  const reporting = `
import { createServer } from 'node:http';
let working = 0, open = 0;
export const start = async () => ({
  update: () => {}, shutdown: async () => {}, activity: () => ({ working, open }),
  server: createServer((req, res) => {
    let idleAfter;
    [working, open, idleAfter] = req.url.slice(1).split(',').map(Number);
    if (idleAfter) setTimeout(() => (working = 0), idleAfter);
    res.end('set');
  }),
});`;
  const guest = await run(reporting);
  await vi.waitFor(() => expect(guest.received).toContainEqual({ t: 'ready' }), 10_000);
  const told = (from: number) => guest.received.slice(from).flatMap((event) => (event.t === 'busy' ? [event.n] : []));
  await guest.get('/0,1');
  await vi.waitFor(() => expect(told(0)).toEqual([0, 0]), 10_000);
  let before = guest.received.length;
  await guest.get('/2,3');
  await vi.waitFor(() => expect(told(before)).toContain(2), 5_000);
  before = guest.received.length;
  expect(await guest.control({ op: 'activity' })).toEqual({ ok: true, working: 2 });
  await guest.get('/0,0');
  await vi.waitFor(() => expect(told(before)).toEqual([0]), 5_000);
  // A skill goes on though its caller has left: until it has ended, whatever is asked meanwhile.
  before = guest.received.length;
  await guest.get('/1,0,1500');
  await vi.waitFor(() => expect(told(before)).toEqual([1, 0]), 5_000);
});

test('shutdown runs the hook once and its last words arrive', async () => {
  const guest = await run(agent);
  await vi.waitFor(() => expect(guest.received).toContainEqual({ t: 'ready' }), 10_000);
  const exit = new Promise((resolve) => guest.child.once('exit', resolve));
  await guest.control({ op: 'shutdown' });
  expect(await exit).toBe(0);
  expect(guest.received.filter((event) => event.t === 'log' && event.x === 'bye')).toHaveLength(1);
});

test('a bundle that fails says why', async () => {
  const guest = await run(`export const start = async () => { throw new Error('no database configured'); };`);
  await vi.waitFor(() => expect(guest.received).toContainEqual({ t: 'failed', message: 'no database configured' }), 10_000);
});

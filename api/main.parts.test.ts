// The API as a process, as the supervisor starts it: every part on its one port, and a stop that cuts nobody off.
import { randomBytes } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createClient } from '../contract/client.ts';
import { testDatabase, testTemporal } from '../test/support/servers.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
let folder: string;
let api: ChildProcess;
let url: string;
let log = '';

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return z.object({ port: z.number() }).parse(address).port;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-api-'));
  await mkdir(join(folder, 'secrets'), { mode: 0o700 });
  await writeFile(join(folder, 'secrets', 'platform.key'), `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  const [database, temporal, port] = await Promise.all([testDatabase(), testTemporal(), freePort()]);
  url = `http://localhost:${port}`;
  api = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      SVC_PORT: String(port),
      SVC_BASE_URL: url,
      SVC_AGENTS_DOMAIN: `localhost:${port}`,
      SVC_STATE_DIR: folder,
      SVC_SECRETS_DIR: join(folder, 'secrets'),
      SVC_HOST_SOCKET: join(folder, 'host.sock'),
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: temporal.namespace,
      OIDC_ISSUER: `${url}/idp`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [api.stdout, api.stderr]) stream?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  await vi.waitUntil(() => log.includes('"msg":"ready"') || api.exitCode !== null, { timeout: 30_000 });
  if (api.exitCode !== null) throw new Error(log);
});
afterAll(async () => {
  api.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const status = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).status;

test('one port serves the API, its reference, the identity provider, and knows agents by name', async () => {
  await expect.poll(() => status('/readyz')).toBe(200);
  expect(await status('/docs')).toBe(200);
  expect(await status('/v1/openapi.json')).toBe(200);
  expect(await status('/idp/.well-known/openid-configuration')).toBe(200);
  expect(await createClient({ baseUrl: url }).public.agents()).toEqual({ items: [], next_cursor: null });
  expect(await status('/v1/me')).toBe(401);
  expect(await status('/v1/me', { headers: { authorization: `Bearer ${['e30', 'e30', ''].join('.')}` } })).toBe(401);
  const nobody = await fetch(`${url.replace('localhost', 'nobody.localhost')}/healthz`).catch(() => undefined);
  // Not every resolver knows names below localhost.
  if (nobody) expect(nobody.status).toBe(404);
});

/** As the way out of a machine asks: over the guests' own socket. */
async function asGuest(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<{ status: number; code: string; body: string }> {
  const asked = request({
    socketPath: join(folder, 'run', 'guests.sock'),
    path,
    method,
    headers: { host: new URL(url).host, 'x-svc-guest': 'ins_1', ...headers },
  });
  const [answer] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(asked.end(), 'response'));
  const body = await text(answer);
  return { status: answer.statusCode ?? 0, code: /"code":"(\w+)"/.exec(body)?.[1] ?? '', body };
}

test('a guest reaches what is there for agents, not the sign-in, not the reference', async () => {
  expect(await asGuest('/run/v1/waits/qst_1')).toMatchObject({ status: 401 });
  expect(await asGuest('/v1/me')).toMatchObject({ status: 401 });
  for (const path of ['/idp/auth', '/idp/token', '/docs', '/', '/healthz', '/v1/agents', '/v1/auth/oidc/login', '//v1/me', '/run/v1/../../docs'])
    expect(await asGuest(path), path).toMatchObject({ status: 403, code: 'not_for_agents' });
  const port = new URL(url).port;
  expect(await asGuest('/idp/token', { host: `a.b.localhost:${port}` }, 'POST')).toMatchObject({ status: 421, code: 'unknown_host' });
  expect(await asGuest('/.svc/session/start', { host: `shop.localhost:${port}` })).toMatchObject({ status: 403 });
  expect(await asGuest('/healthz', { host: `shop.localhost:${port}` })).toMatchObject({ status: 404, code: 'agent_not_found' });
  expect(await asGuest('/v1/me', { 'x-svc-guest': '' })).toMatchObject({ status: 400 });
  // From outside the header says nothing.
  expect(await status('/docs', { headers: { 'x-svc-guest': 'ins_1' } })).toBe(200);
});

test('a name that is nobody’s is 421, on the one port too', async () => {
  const port = Number(new URL(url).port);
  for (const host of [`a.b.localhost:${port}`, 'evil.test', '127.1']) {
    const asked = request({ host: '127.0.0.1', port, path: '/idp/token', method: 'POST', headers: { host } });
    const [answer] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(asked.end(), 'response'));
    expect([answer.statusCode, await text(answer)], host).toEqual([421, expect.stringContaining('unknown_host')]);
  }
});

test('an environment that is not complete is named, variable by variable', async () => {
  const broken = spawn(process.execPath, [main], { env: { PATH: process.env.PATH }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  broken.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = await once(broken, 'exit');
  expect(code).not.toBe(0);
  for (const name of ['DATABASE_URL', 'SVC_BASE_URL', 'OIDC_ISSUER']) expect(said).toContain(name);
});

test('asked to stop, it stops, and says so', async () => {
  api.kill('SIGTERM');
  const [code] = await once(api, 'exit');
  expect([code, log.includes('"msg":"stopped"')]).toEqual([0, true]);
});

// The API as a process, as the supervisor starts it: every part on its one port, and a stop that cuts off no
// request.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '#contract/client.ts';
import { API_MAIN, type ApiProcess, startApiProcess } from '#test/support/api-process.ts';

let api: ApiProcess;
let url: string;

beforeAll(async () => {
  api = await startApiProcess();
  ({ url } = api);
});
afterAll(() => api.kill());

const status = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).status;

test('one port serves the API, its reference, the identity provider, and knows agents by name', async () => {
  await expect.poll(() => status('/readyz')).toBe(200);
  expect(await status('/docs')).toBe(200);
  expect(await status('/v1/openapi.json')).toBe(200);
  expect(await status('/idp/.well-known/openid-configuration')).toBe(200);
  expect(await createClient({ baseUrl: url }).public.agents()).toEqual({ items: [], next_cursor: null });
  expect(await status('/.well-known/ai-catalog.json')).toBe(200);
  expect(await status('/.well-known/agent-card-keys.json')).toBe(200);
  expect(await status('/v1/me')).toBe(401);
  expect(await status('/v1/me', { headers: { authorization: `Bearer ${['e30', 'e30', ''].join('.')}` } })).toBe(401);
  const nobody = await fetch(`${url.replace('localhost', 'nobody.localhost')}/healthz`).catch(() => undefined);
  // Not every resolver knows names below localhost.
  if (nobody) expect(nobody.status).toBe(404);
});

/** Sends a request as a machine's egress proxy does: over the guest socket. */
async function asGuest(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<{ status: number; code: string; body: string }> {
  const asked = request({
    socketPath: join(api.folder, 'run', 'guests.sock'),
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

test('an unknown host name is 421, on the one port too', async () => {
  const port = Number(new URL(url).port);
  for (const host of [`a.b.localhost:${port}`, 'evil.test', '127.1']) {
    const asked = request({ host: '127.0.0.1', port, path: '/idp/token', method: 'POST', headers: { host } });
    const [answer] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(asked.end(), 'response'));
    expect([answer.statusCode, await text(answer)], host).toEqual([421, expect.stringContaining('unknown_host')]);
  }
});

test('an environment that is not complete is named, variable by variable', async () => {
  const broken = spawn(process.execPath, [API_MAIN], { env: { PATH: process.env.PATH }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  broken.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = await once(broken, 'exit');
  expect(code).not.toBe(0);
  for (const name of ['DATABASE_URL', 'SVC_BASE_URL', 'OIDC_ISSUER']) expect(said).toContain(name);
});

test('asked to stop, it stops, and says so', async () => {
  api.process.kill('SIGTERM');
  const [code] = await once(api.process, 'exit');
  expect([code, api.log().includes('"msg":"stopped"')]).toEqual([0, true]);
});

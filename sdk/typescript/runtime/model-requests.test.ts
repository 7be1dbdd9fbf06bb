import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { asRun } from './model-requests.ts';
import { turns } from '../../../test/support/turns.ts';

const heard: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
const server = createServer((request, response) => {
  heard.push({ url: request.url, headers: request.headers });
  if (request.url === '/llm/moved') response.writeHead(307, { location: `http://localhost:${port()}/elsewhere` }).end();
  else response.end('ok');
});
// Safe: it listens on a port, not on a path.
const port = (): number => (server.address() as AddressInfo).port;
const url = (path: string): string => `http://127.0.0.1:${port()}${path}`;
const tokens = (): unknown[] => heard.map(({ headers }) => headers['x-svc-run-token']);

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());
beforeEach(() => {
  heard.length = 0;
  vi.stubEnv('SVC_CP_URL', url(''));
});
afterEach(() => vi.unstubAllEnvs());

test('two runs at the same time send each their own credential, from wherever in their code', async () => {
  const run = (token: string) =>
    asRun(token, async () => {
      await turns();
      await fetch(url('/llm/openai/v1/models'), { headers: { 'x-svc-run-token': 'of another', accept: 'a/b' } });
      await fetch(new Request(url('/llm/anthropic/v1/messages'), { method: 'POST', body: '{}', headers: { 'x-own': token } }));
    });
  await Promise.all([run('one'), run('two')]);
  expect(tokens().toSorted()).toEqual(['one', 'one', 'two', 'two']);
  expect(heard[0]?.headers['accept']).toBe('a/b');
  for (const { headers } of heard) if (headers['x-own'] !== undefined) expect(headers['x-own']).toBe(headers['x-svc-run-token']);
});

test('no other place hears it: other paths and hosts, redirects, code outside of a run', async () => {
  await asRun('secret', async () => {
    await fetch(url('/v1/me'));
    await fetch(url('/llm-not/x'));
    await fetch(`http://localhost:${port()}/llm/openai/v1/models`);
    await expect(fetch(url('/llm/moved'))).rejects.toThrow();
    await fetch(new URL(url('/llm/../v1/me')));
  });
  await fetch(url('/llm/openai/v1/models'));
  await asRun(undefined, () => fetch(url('/llm/openai/v1/models')));
  expect(heard.filter(({ headers }) => headers['x-svc-run-token'] !== undefined).map((one) => one.url)).toEqual(['/llm/moved']);
  expect(heard.map((one) => one.url)).not.toContain('/elsewhere');
});

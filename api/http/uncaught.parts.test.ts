// An uncaught error in a process with many requests: its own request fails, and the others are answered.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const SCRIPT = `
  import { keepRunning } from './drivers/log/uncaught.ts';
  import { openLogger } from './drivers/log/logger.ts';
  import { giveUpRequest } from './api/http/request-scope.ts';
  import { createApiServer } from './api/server.ts';
  const log = openLogger({ part: 'api' });
  const waiting = [];
  const ways = {
    '/sync': () => { throw new Error('at once'); },
    '/timer': () => setTimeout(() => { throw new Error('in a timer'); }, 1),
    '/promise': () => void Promise.reject(new Error('in a promise')),
    '/body': (request) => request.on('data', () => { throw new Error('in an event'); }),
    '/begun': (_, response) => { response.write('some'); setTimeout(() => { throw new Error('after it began'); }, 1); },
    '/nobody': (_, response) => { process.nextTick(() => response.end('ok')); globalThis.loose?.(); },
    '/wait': (_, response) => waiting.push(response),
    '/go': (_, response) => { for (const one of waiting) one.end('waited'); response.end('ok'); },
  };
  // Of no request: begun before any came.
  let fire; new Promise((resolve) => { fire = resolve; }).then(() => { throw new Error('of nobody'); });
  globalThis.loose = fire;
  const server = createApiServer({ api: (request, response) => ways[request.url](request, response), stopping: new AbortController(), onError: (error) => log.error({ err: error }, 'a request failed') });
  server.server.on('upgrade', () => undefined);
  keepRunning(log, giveUpRequest);
  console.log(await server.listen(0, '127.0.0.1'));
`;

const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'] });
const lines: string[] = [];
let url = '';

beforeAll(async () => {
  createInterface({ input: child.stdout }).on('line', (line) => (line.startsWith('http') ? (url = line) : lines.push(line)));
  await vi.waitUntil(() => url !== '' || child.exitCode !== null, { timeout: 30_000 });
});
afterAll(() => void child.kill('SIGKILL'));

test('each way of throwing is answered 500, logged once, and ends nothing else', async () => {
  const waiting = fetch(`${url}/wait`);
  for (const [path, message] of [['/sync', 'at once'], ['/timer', 'in a timer'], ['/promise', 'in a promise'], ['/body', 'in an event']]) {
    const answer = await fetch(url + path, { method: 'POST', body: 'x', headers: { 'x-request-id': `uncaught-${path?.slice(1)}` } });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ detail: { code: 'internal', request_id: `uncaught-${path?.slice(1)}` } });
    await vi.waitUntil(() => lines.some((line) => line.includes(`"message":"${message}"`)));
  }
  const begun = await fetch(`${url}/begun`);
  await expect(begun.text()).rejects.toThrow();
  expect(await (await fetch(`${url}/nobody`)).text()).toBe('ok');
  await vi.waitUntil(() => lines.some((line) => line.includes('of nobody')));
  expect(await (await fetch(`${url}/go`)).text()).toBe('ok');
  expect(await (await waiting).text()).toBe('waited');
  expect(child.exitCode).toBeNull();
}); // prettier-ignore

test('one that repeats does not fill the log', async () => {
  for (let n = 0; n < 40; n += 1) expect((await fetch(`${url}/timer`)).status).toBe(500);
  expect(lines.filter((line) => line.includes('an error was not caught')).length).toBeLessThanOrEqual(20);
  child.kill('SIGTERM');
  await once(child, 'exit');
});

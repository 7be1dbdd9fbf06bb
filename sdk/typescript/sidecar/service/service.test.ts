// HTTP services as agents: a real program, started with a port of its own, called, killed, given other
// secrets.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { signCaller } from '../../../../contract/crypto/caller-token.ts';
import type { Caller } from '../../../../contract/wire/caller.ts';
import { HEADER } from '../../../../contract/wire/headers.ts';
import { ServiceDeclaration } from '../../../../contract/wire/service.ts';
import type { Entry } from '../../runtime/log.ts';
import { startSidecar, type SidecarOptions } from '../start.ts';
import { compileService, ServiceInvalid, type ServiceProject } from './compile.ts';

const PROGRAM = `const { createServer } = require('node:http');
if (process.env.BROKEN) { console.error('no database'); process.exit(3); }
let ready = !process.env.SLOW;
setTimeout(() => (ready = true), 300);
const port = process.argv[2] === '--port' ? process.argv[3] : process.env.PORT;
createServer((req, res) => {
  const say = (status, value) => res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const { pathname, searchParams } = new URL(req.url, 'http://x');
  if (pathname === '/ready') return say(ready ? 200 : 503, {});
  if (pathname === '/end') process.exit(5);
  if (req.method === 'DELETE') return say(200, { deleted: pathname });
  const { KEY, PORT, OTHER } = process.env;
  say(200, { pid: process.pid, ready, path: decodeURIComponent(pathname), q: searchParams.get('q'), env: { KEY, PORT, OTHER }, headers: req.headers });
}).listen(Number(port), '127.0.0.1');
`;
const parameters = [
  { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
  { name: 'q', in: 'query', schema: { type: 'integer' } },
];
const header = ['x-svc-run-id', 'X-Svc-User-Sub'].map((name) => ({ name, in: 'header', schema: { type: 'string' } }));
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Things', summary: 'Has things.' },
  paths: {
    '/things/{id}': {
      get: { operationId: 'thing', parameters: [...parameters, ...header], responses: { 200: { description: 'It.' } } },
      delete: { operationId: 'remove', parameters: [parameters[0]], responses: {} },
    },
    '/end': { post: { operationId: 'end', responses: {} } },
  },
};

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-service-'));
  program = join(folder, 'service.cjs');
  await writeFile(program, PROGRAM);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function compiled(service: object = {}, document: unknown = DOCUMENT) {
  const declaration = ServiceDeclaration.parse({ openapi: 'openapi.json', ...service });
  const project: ServiceProject = { name: 'things', version: '1.0.0', entrypoint: 'main:main', language: 'go', service: declaration, document };
  return compileService(project);
}

async function serve(service: object = {}, options: Partial<SidecarOptions> = {}) {
  const log: Entry[] = [];
  const worker = { command: process.execPath, args: [program], env: { OTHER: 'own' } };
  const started = await startSidecar({
    dsl: compiled(service),
    worker,
    drainMs: 200,
    onLog: (entry) => void log.push(entry),
    ...options,
    listen: { host: '127.0.0.1', port: 0 },
  });
  onTestFinished(() => started.shutdown());
  const address = started.server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  const post = (skill: string, args: object, accept = 'application/json'): Promise<Response> => {
    const headers = { 'content-type': 'application/json', accept };
    return fetch(`http://127.0.0.1:${address.port}/invoke/${skill}`, { method: 'POST', headers, body: JSON.stringify(args) });
  };
  const call = async (skill: string, args: object): Promise<{ status: number; body: unknown }> => {
    const response = await post(skill, args);
    return { status: response.status, body: await response.json() };
  };
  const thing = async (args: object = { id: 'a' }): Promise<z.infer<typeof Thing>> => Thing.parse((await call('thing', args)).body);
  return { ...started, log, post, call, thing };
}
const Thing = z.object({
  pid: z.number(),
  ready: z.boolean(),
  path: z.string(),
  q: z.string().nullable(),
  env: z.record(z.string(), z.string()),
  headers: z.record(z.string(), z.string()),
});

describe('a service', () => {
  test('is started with a port; an operation is a skill, its answer the result', async () => {
    const { call, thing, card } = await serve();
    expect(card).toMatchObject({ name: 'things', description: 'Has things.', runtime: { concurrency: 16 } });
    expect(card.skills.map(({ id }) => id)).toEqual(['thing', 'remove', 'end']);
    expect(await thing({ id: 'a/b ü', q: 3 })).toMatchObject({ path: '/things/a/b ü', q: '3' });
    expect((await call('thing', { id: '..' })).status).toBe(400);
    expect((await call('thing', { id: 'a', q: 'x' })).body).toMatchObject({ detail: { code: 'skill_input_error', issues: [{ path: ['q'] }] } });
  });

  test('learns the run from headers that no argument takes the place of', async () => {
    const { thing } = await serve();
    const { headers } = await thing({ id: 'a', 'x-svc-run-id': 'mine' });
    expect(headers['x-svc-run-id']).toMatch(/^(?!mine)./);
    expect(headers['x-request-id']).toBeTruthy();
  });

  test('learns who calls only from the platform', async () => {
    const { server } = await serve({}, { apiKey: 'the-key' });
    const caller: Caller = {
      kind: 'user', sub: 'usr_1', user_id: 7, email: 'ada@example.test', org_id: null, org_slug: null, scopes: ['a', 'b'], trusted: true, agent: null, on_behalf_of: null,
    }; // prettier-ignore
    const ask = async (headers: Record<string, string>) => {
      const address = server.address();
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/invoke/thing`;
      const init = { method: 'POST', body: JSON.stringify({ id: 'a', 'X-Svc-User-Sub': 'usr_forged' }) };
      const response = await fetch(url, { ...init, headers: { authorization: 'Bearer the-key', 'content-type': 'application/json', ...headers } });
      return Thing.parse(await response.json()).headers;
    };
    const exp = Math.floor(Date.now() / 1000) + 60;
    expect(await ask({ [HEADER.caller]: signCaller({ caller, run: null, exp }, 'the-key') })).toMatchObject({
      'x-svc-user-sub': 'usr_1',
      'x-svc-user-number': '7',
      'x-svc-user-email': 'ada@example.test',
      'x-svc-user-scopes': 'a b',
      'x-svc-org-id': '',
    });
    expect(await ask({ [HEADER.caller]: signCaller({ caller, run: null, exp }, 'another-key') })).toMatchObject({ 'x-svc-user-sub': '' });
  });

  test('gets its port by PORT, by arguments or by a variable of its own', async () => {
    const { thing } = await serve({ args: ['--port', '{port}'], env: { OTHER: 'at {port}' } });
    const { env } = await thing();
    expect(env['OTHER']).toBe(`at ${env['PORT']}`);
  });

  test('is asked when it is ready, not before', async () => {
    const { thing } = await serve({ ready: '/ready', env: { SLOW: '1' } });
    expect((await thing()).ready).toBe(true);
  });

  test('that ends at once does not come up, with its own last words', async () => {
    await expect(serve({ env: { BROKEN: '1' } })).rejects.toThrow('the service ended with status 3 before it was ready\nno database');
  });

  test('that dies during a call fails that call, and is started again for the next', async () => {
    const { call, thing, log } = await serve();
    const before = (await thing()).pid;
    const lost = await call('end', {});
    expect(lost).toMatchObject({ status: 502, body: { detail: { message: 'the service was not reached' } } });
    await vi.waitFor(async () => expect((await thing()).pid).not.toBe(before));
    expect(log.map(({ message }) => message)).toContain('the service is gone; starting it again');
  });

  test('has the agent’s secrets in its environment, and is started again with others', async () => {
    const { thing, update } = await serve({ required_secrets: ['KEY'] }, { secrets: { KEY: 'one', HIDDEN: 'x' } });
    const first = await thing();
    expect(first.env).toMatchObject({ KEY: 'one', OTHER: 'own' });
    update({ secrets: { KEY: 'one' } });
    expect((await thing()).pid).toBe(first.pid);
    update({ secrets: { KEY: 'two' } });
    await vi.waitFor(async () => expect((await thing()).env['KEY']).toBe('two'));
  });

  test('that runs already is asked where it is', async () => {
    const server = createServer((_req, res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{"own":true}')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const { call } = await serve({}, { worker: { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/` } });
    expect((await call('thing', { id: 'a' })).body).toEqual({ own: true });
  });
});

test('what deletes asks first', async () => {
  const { post } = await serve();
  const { body } = await post('remove', { id: 'a' }, 'text/event-stream');
  let heard = '';
  for await (const chunk of body ?? []) {
    heard += Buffer.from(chunk).toString();
    if (heard.includes('"kind":"question"')) break;
  }
  expect(heard).toContain('Send DELETE /things/{id}');
  expect(heard).not.toContain('deleted');
});

test.each([
  [{ only: ['nothing'] }, DOCUMENT, 'service.only: openapi.json has no operation "nothing"; it has thing, remove, end'],
  [{}, { openapi: '3.1.0', paths: {} }, 'openapi.json has no operations'],
  [{}, 'text', 'openapi.json is no OpenAPI description'],
  [{}, { swagger: '2.0' }, 'openapi.json: Swagger 2.0'],
])('%j of it cannot be compiled', (service, document, message) => {
  expect(() => compiled(service, document)).toThrow(ServiceInvalid);
  expect(() => compiled(service, document)).toThrow(message);
});

test('the card has what svc.yaml says of the service', () => {
  const { card } = compiled({
    only: ['thing'],
    description: 'Mine.',
    required_env: ['REGION'],
    egress: { allow_hosts: ['api.example.com'] },
    resources: { memory: '512Mi' },
    timeout_seconds: 5,
  });
  expect(card).toMatchObject({
    description: 'Mine.',
    required_env: ['REGION'],
    skills: [{ id: 'thing', policy: { timeout_seconds: 5, read_only: true } }],
    runtime: { egress: { allow_hosts: ['api.example.com'], deny_internet_by_default: true }, resources: { memory: '512Mi', cpu: '100m' } },
  });
});

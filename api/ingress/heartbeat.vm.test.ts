// A caller behind a proxy that gives up silent connections keeps its event stream while the agent's machine
// sleeps on disk, and nothing wakes it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { callAgent, proberSource, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testHost, type TestHost } from '#host/test/support.ts';
import { pooledAgentHttp } from '#drivers/agent-http/pooled.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { createLogger } from '../http/log.ts';
import { createApiServer } from '../server.ts';
import { createIngress } from './ingress.ts';
import { freePort } from '#test/support/free-port.ts';

/**
 * nginx gives a connection up that says nothing for so long. SVC_NGINX_SECONDS=60: as nginx comes, with our
 * own interval of 15 s.
 */
const LIMIT_SECONDS = Number(process.env['SVC_NGINX_SECONDS'] ?? 2);
const HEARTBEAT_MS = LIMIT_SECONDS >= 60 ? 15_000 : 500;
const never = new AbortController().signal;
const pools = createAgentPools();
const agentHttp = pooledAgentHttp(pools);
let host: TestHost;
let folder: string;
let server: ReturnType<typeof createApiServer>;
let nginx: ChildProcess;
let nginxPort: number;
const input = startInput('');

beforeAll(async () => {
  host = await testHost({ SVC_PAUSE_AFTER_SECONDS: '1', SVC_SUSPEND_AFTER_SECONDS: '2' });
  const source = proberSource();
  const build = { build_id: uniqueId('b'), tenant: 'test', source, language: 'typescript', entrypoint: 'agent:Prober' } as const;
  input.image = (await host.runtime.build(build, () => undefined, never)).image;
  await host.runtime.start(input, () => undefined, never);
  const address = host.runtime.address(input.instance_id);
  const route = {
    agentId: 'agt_1',
    ownerId: 'usr_1',
    deployId: 'dep_1',
    version: '1.0.0',
    image: '',
    runtime: '',
    apiKey: 'the-api-key',
    maxRuntimeMs: 30_000,
  };
  const ingress = createIngress({
    platform: { config: { baseUrl: 'http://localhost', agentsDomain: 'localhost' }, issuer: 'http://localhost/idp' },
    resolve: async (agentName) => ({ ...route, agentName, visibility: 'public', address }),
    call: {
      callAgent: async ({ headers, body, signal }) =>
        agentHttp.send({ address }, { method: 'POST', path: '/invoke/ask', headers, body, signal, timeoutMs: 60_000, silenceMs: 0 }),
      beginTask: () => Promise.reject(new Error('no task is begun here')),
    },
    admit: { authenticate: async () => ({ kind: 'anonymous' }), whileAllowed: () => () => undefined },
    pass: { pools },
    heartbeatMs: HEARTBEAT_MS,
    report: { log: createLogger('silent') },
  });
  server = createApiServer({ fronts: [ingress.front], upgrades: [ingress.upgrade], api: (_req, res) => res.end(), stopping: new AbortController() });
  folder = await mkdtemp(join(tmpdir(), 'svc-nginx-'));
  nginxPort = await freePort();
  nginx = await startNginx(folder, nginxPort, await server.listen(0, '127.0.0.1'));
});
afterAll(async () => {
  nginx?.kill('SIGTERM');
  if (nginx?.exitCode === null) await once(nginx, 'exit');
  await server?.close();
  await pools.close();
  await host?.end();
  await rm(folder, { recursive: true, force: true });
});

const tier = async (): Promise<string | undefined> => (await host.runtime.instances()).find((one) => one.instance_id === input.instance_id)?.tier;

test('comments keep the stream for longer than the proxy endures silence, and the machine asleep', async () => {
  const stream = open(nginxPort);
  const question = await vi.waitFor(() => {
    const [found] = /qst_[\w-]+/.exec(stream.text) ?? [];
    if (found === undefined) throw new Error('nothing is asked yet');
    return found;
  });
  await vi.waitFor(async () => expect(await tier()).toBe('suspended'), { timeout: 60_000, interval: 100 });
  const comments = (): number => stream.text.split('\n').filter((line) => line === ':').length;
  const [before, since] = [comments(), performance.now()];
  const enough = Math.ceil((3 * LIMIT_SECONDS * 1000) / HEARTBEAT_MS);
  await vi.waitFor(() => expect(comments()).toBeGreaterThanOrEqual(before + enough), { timeout: 4 * LIMIT_SECONDS * 1000 + 30_000, interval: 100 });
  // Room for a run with nginx's default limit.
  process.stdout.write(`${comments() - before} comments in ${Math.round((performance.now() - since) / 1000)} s of silence, the machine ${await tier()}\n`);
  expect([await tier(), stream.ended]).toEqual(['suspended', false]);
  await callAgent(host.runtime.address(input.instance_id), `/answers/${question}`, { answer: 'yes' });
  await vi.waitFor(() => expect(stream.text).toContain('event: result'), 60_000);
  expect(stream.text).toContain('"answer":"yes"');
});

function open(port: number): { text: string; ended: boolean } {
  const stream = { text: '', ended: false };
  const headers = { host: 'prober.localhost', 'content-type': 'application/json', accept: 'text/event-stream', connection: 'close' };
  const outgoing = request({ port, host: '127.0.0.1', path: '/invoke/ask', method: 'POST', headers, agent: false }, (incoming) => {
    incoming.on('data', (chunk) => (stream.text += String(chunk)));
    for (const event of ['error', 'close']) incoming.on(event, () => (stream.ended = true));
  });
  outgoing.on('error', () => (stream.ended = true));
  outgoing.end('{}');
  return stream;
}

async function startNginx(dir: string, port: number, upstream: number | string): Promise<ChildProcess> {
  const target = typeof upstream === 'number' ? `http://127.0.0.1:${upstream}` : upstream;
  const config = `daemon off; worker_processes 1; ${process.getuid?.() === 0 ? 'user root;' : ''} pid ${dir}/nginx.pid; error_log stderr warn;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy; fastcgi_temp_path ${dir}/fastcgi; uwsgi_temp_path ${dir}/uwsgi; scgi_temp_path ${dir}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass ${target}; proxy_http_version 1.1; proxy_set_header Host $host; proxy_read_timeout ${LIMIT_SECONDS}s; }
  }
}`;
  await writeFile(join(dir, 'nginx.conf'), config);
  const child = spawn('nginx', ['-c', join(dir, 'nginx.conf'), '-e', 'stderr'], {
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.on('error', () => undefined);
  await vi.waitFor(() => {
    if (child.exitCode !== null || child.pid === undefined) throw new Error('nginx did not start; it is installed with: apt-get install nginx');
    return listening(port);
  });
  return child;
}

const listening = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = connect(port, '127.0.0.1', () => {
      probe.destroy();
      resolve();
    });
    probe.on('error', reject);
  });

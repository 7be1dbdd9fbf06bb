// `node bench/ingress.ts`: our ingress against nginx before the same warm agent stub on a Unix socket.
// Target: 60 % of nginx. Beside it the least a proxy in Node can cost: its server and undici, passing on and
// doing nothing else. Target: 85 % of that.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '#api/http/log.ts';
import { createMetrics } from '#api/http/metrics.ts';
import { createIngress } from '#api/ingress/ingress.ts';
import { createApiServer } from '#api/server.ts';
import { Pool } from 'undici';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { compareInterleaved, load, startPart } from './load.ts';
import { requirePrograms } from './programs.ts';
import { portOf } from './peers.ts';
import { QUICK, rounds } from './ratio.ts';
import { freePort } from '#stack/ports.ts';

const file = fileURLToPath(import.meta.url);
const socketPath = process.env.BENCH_SOCKET ?? '';

switch (process.argv[2]) {
  case 'agent':
    createServer((req, res) => {
      req.resume();
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': 27 }).end('{"greeting":"hello, world"}');
    }).listen(socketPath, () => process.send?.(socketPath));
    break;
  case 'ingress': {
    const ingress = createIngress({
      platform: { config: { baseUrl: 'http://localhost', agentsDomain: 'localhost' }, issuer: 'http://localhost/idp' },
      resolve: async (agentName) => ({
        agentId: 'agt_1',
        agentName,
        ownerId: 'usr_1',
        deployId: 'dep_1',
        version: '1.0.0',
        image: 'sha256:1',
        runtime: 'sha256:2',
        visibility: 'public',
        address: { unix: socketPath },
        apiKey: 'key',
        maxRuntimeMs: 60_000,
      }),
      // What is measured is passing on; a call of a skill also seals a receipt in the database, which nginx
      // does not.
      call: {
        callAgent: () => Promise.reject(new Error('no call is made here')),
        beginTask: () => Promise.reject(new Error('no task is begun here')),
      },
      admit: { authenticate: async () => ({ kind: 'anonymous' }), whileAllowed: () => () => undefined },
      pass: { pools: createAgentPools() },
      report: { log: createLogger('info'), metrics: createMetrics() },
    });
    const server = createApiServer({ fronts: [ingress.front], upgrades: [ingress.upgrade], api: (_req, res) => res.end(), stopping: new AbortController() });
    process.send?.(await server.listen(0, '127.0.0.1'));
    break;
  }
  case 'bare': {
    const pool = new Pool('http://agent', { socketPath, connections: 512, pipelining: 1 });
    const server = createServer((req, res) => {
      const answer = {
        onRequestStart: () => undefined,
        onResponseStart: (_controller: unknown, status: number, headers: OutgoingHttpHeaders) => void res.writeHead(status, headers),
        onResponseData: (_controller: unknown, chunk: Buffer) => void res.end(chunk.toString('latin1'), 'latin1'),
        onResponseEnd: () => undefined,
        onResponseError: () => void res.destroy(),
      };
      pool.dispatch({ method: 'GET', path: req.url ?? '/', headers: req.rawHeaders, body: null }, answer);
    }).listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${portOf(server.address())}`));
    break;
  }
  default:
    await compare();
}

async function compare(): Promise<void> {
  await requirePrograms('nginx', 'wrk');
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const env = { BENCH_SOCKET: join(folder, 'agent.sock') };
  const agent = await startPart(file, 'agent', env);
  const ours = await startPart(file, 'ingress', env);
  const bare = await startPart(file, 'bare', env);
  const nginx = await startNginx(folder, env.BENCH_SOCKET);
  const urls: Record<string, string> = { nginx: nginx.url, 'bare Node': bare.url, ours: ours.url };
  try {
    const options = { connections: 32, seconds: QUICK ? 2 : 3, headers: { Host: 'stub.localhost' } };
    for (const url of Object.values(urls)) await load(`${url}/page`, { ...options, seconds: 4 });
    const pages = (name: string): Promise<number> => load(`${urls[name]}/page`, options);
    await compareInterleaved('ingress', 'nginx', { rounds: rounds(7), target: 60 }, pages);
    await compareInterleaved('ingress', 'bare Node', { rounds: rounds(7), target: 85 }, pages);
  } finally {
    nginx.stop();
    await Promise.all([ours.stop(), bare.stop(), agent.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function startNginx(folder: string, socket: string): Promise<{ url: string; stop: () => void }> {
  const port = await freePort();
  const config = `daemon off; pid ${folder}/nginx.pid; error_log stderr error; worker_processes 1; user ${process.getuid?.() === 0 ? 'root' : ''};
    events { worker_connections 512; }
    http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      upstream agent { server unix:${socket}; keepalive 64; }
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://agent; proxy_http_version 1.1; proxy_buffering off;
        proxy_set_header Connection ""; proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header Authorization "Bearer key"; } } }`;
  await writeFile(join(folder, 'nginx.conf'), process.getuid?.() === 0 ? config : config.replace(/user ;/, ''));
  const child = spawn('nginx', ['-e', 'stderr', '-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: ['ignore', 'inherit', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  for (
    let tries = 0;
    !(await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    ));
    tries++
  ) {
    // prettier-ignore
    if (tries === 50 || child.exitCode !== null) throw new Error('nginx did not start: its words are above');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, stop: () => child.kill('SIGTERM') };
}

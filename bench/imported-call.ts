// A call of an imported agent at its address on the platform (ingress, runtime, receipt) against the same
// call of it directly, by the official clients. `node bench/imported-call.ts`: one call at a time, both ways
// in turn; each server is a process of its own. What counts is how much later the median answer comes.
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { Role } from '@a2a-js/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { pino } from 'pino';
import { Pool } from 'undici';
import { createApp } from '#api/app.ts';
import { handlers, internal } from '#api/handlers.ts';
import { createLogger } from '#api/http/log.ts';
import { BUDGETS, createRateLimits } from '#api/http/rate-limit.ts';
import { createIngress } from '#api/ingress/ingress.ts';
import { createApiServer } from '#api/server.ts';
import { contract } from '#contract/index.ts';
import { importAgent } from '#core/imports/import/import.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { callAtHost } from '#test/support/calls.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { importsSocket } from '#drivers/runtime/sockets.ts';
import { startImportServer } from '#imports/server.ts';
import { a2aRemote, mcpRemote } from '#imports/test/remotes.ts';
import { stateFolder, testContext, type TestContext } from '#test/support/context.ts';
import { benchCluster } from './database.ts';
import { percentile, startPart } from './load.ts';
import { median, printAdded, QUICK, rounds } from './ratio.ts';

const SELF = fileURLToPath(import.meta.url);
const CALLS = QUICK ? 150 : 400;
const WARM_UP = 50;
const TARGET_MS = 5;

const context = (): Promise<TestContext> => {
  const { BENCH_DATABASE, BENCH_STATE, BENCH_HOSTS = '' } = process.env;
  return testContext({ databaseUrl: String(BENCH_DATABASE), folder: String(BENCH_STATE), importLocalHosts: BENCH_HOSTS.split(',') });
};

const PARTS: Record<string, () => Promise<string>> = {
  a2a: async () => (await a2aRemote()).url,
  mcp: async () => (await mcpRemote()).url,
  imports: async () => {
    const { ctx, stateDir } = await context();
    const socket = importsSocket(stateDir);
    await mkdir(dirname(socket), { recursive: true });
    await startImportServer(ctx, pino({ level: 'silent' }), socket);
    return socket;
  },
  api: async () => {
    const { ctx } = await context();
    const limits = createRateLimits(ctx.db, BUDGETS);
    const accessTokens = { verify: () => Promise.reject(new Error('only tokens of the platform')) };
    const authenticate = createAuthenticator({ db: ctx.db, vault: ctx.drivers.vault, clock: ctx.clock, accessTokens });
    const stopping = new AbortController();
    const log = createLogger('info', { write: () => undefined });
    const app = createApp(contract, handlers, { ...ctx, authenticate, limits, log, strict: false, shutdown: stopping.signal }, internal);
    const ingress = createIngress({
      platform: { config: ctx.config, issuer: 'http://localhost:8080/idp' },
      resolve: (name) => resolveRoute(ctx, name),
      admit: { authenticate, whileAllowed: () => () => undefined },
      call: { callAgent: (call, requestId) => callAtHost({ ...ctx, actor: call.actor, requestId }, call), beginTask: () => Promise.resolve({}) },
      pass: { pools: createAgentPools() },
      report: { log: pino({ level: 'silent' }) },
    });
    return createApiServer({ fronts: [ingress.front], api: app.callback(), stopping }).listen(0, '127.0.0.1');
  },
};

/** Milliseconds of each of so many calls. */
async function timed(call: () => Promise<void>): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < CALLS; n += 1) {
    const began = performance.now();
    await call();
    took.push(performance.now() - began);
  }
  return took;
}

async function direct(mcpUrl: string, a2aUrl: string): Promise<Record<'MCP' | 'A2A', () => Promise<void>>> {
  const mcp = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${mcpUrl}/mcp`)));
  const a2a = await new ClientFactory({ transports: [new JsonRpcTransportFactory()] }).createFromUrl(a2aUrl);
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false };
  const part = { content: { $case: 'text' as const, value: 'hi' }, metadata: undefined, filename: '', mediaType: 'text/plain' };
  const about = { contextId: '', taskId: '', role: Role.ROLE_USER, parts: [part], metadata: undefined, extensions: [], referenceTaskIds: [] };
  return {
    MCP: async () => void (await mcp.callTool({ name: 'add', arguments: { a: 1, b: 2 } })),
    A2A: async () => {
      const message = { messageId: crypto.randomUUID(), ...about };
      for await (const _ of a2a.sendMessageStream({ tenant: '', message, configuration, metadata: undefined }));
    },
  };
}

async function main(): Promise<void> {
  const stateDir = await stateFolder();
  const cluster = await benchCluster();
  const BENCH_DATABASE = await cluster.create();
  const remotes = [await startPart(SELF, 'mcp'), await startPart(SELF, 'a2a')];
  const [mcpUrl = '', a2aUrl = ''] = remotes.map(({ url }) => url);
  const BENCH_HOSTS = remotes.map(({ url }) => new URL(url).host).join(',');
  const env = { BENCH_DATABASE, BENCH_STATE: stateDir, BENCH_HOSTS };
  Object.assign(process.env, env);
  const it = await context();
  const ada = await it.user('ada');
  const token = newPlatformToken();
  await it.ctx
    .db('platform_tokens')
    .insert({ token_id: newId('tok'), token_hash: hashSecret(token), kind: 'user', user_id: ada.actor.user_id, label: 'bench' });
  for (const url of [`${mcpUrl}/mcp`, a2aUrl]) await importAgent(ada, { url, visibility: 'unlisted', auth: null });
  const [imports, api] = [await startPart(SELF, 'imports', env), await startPart(SELF, 'api', env)];
  const pool = new Pool(api.url, { connections: 4 });
  const through = (agent: string, skill: string, args: object) => async (): Promise<void> => {
    const headers = { host: `${agent}.localhost:8080`, authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' };
    const answer = await pool.request({ method: 'POST', path: `/invoke/${skill}`, headers, body: JSON.stringify(args) });
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`);
    await answer.body.arrayBuffer();
  };
  const ours = { MCP: through('adder', 'add', { a: 1, b: 2 }), A2A: through('echo-agent', 'say_it', { text: 'hi' }) };
  const theirs = await direct(mcpUrl, a2aUrl);
  for (const protocol of ['MCP', 'A2A'] as const) {
    for (let n = 0; n < WARM_UP; n += 1) await Promise.all([ours[protocol](), theirs[protocol]()]);
    const seen: { direct: number[]; through: number[] }[] = [];
    for (let round = 0; round < rounds(5); round += 1) seen.push({ direct: await timed(theirs[protocol]), through: await timed(ours[protocol]) });
    const of = (one: number[], hundredths: number): string => percentile(one, hundredths).toFixed(2);
    const [d, t] = [seen.flatMap((one) => one.direct), seen.flatMap((one) => one.through)];
    console.log(`${protocol}: directly p50 ${of(d, 50)} p95 ${of(d, 95)} ms, through the platform p50 ${of(t, 50)} p95 ${of(t, 95)} ms`);
    const added = seen.map((one) => percentile(one.through, 50) - percentile(one.direct, 50));
    printAdded({ name: `imported call, ${protocol}, p50 over direct`, ms: median(added), spread: [Math.min(...added), Math.max(...added)], target: TARGET_MS });
  }
  await Promise.all([imports, api, ...remotes].map((one) => one.stop()));
  await it.close();
  await cluster.stop();
  await rm(stateDir, { recursive: true, force: true });
  // Clients keep connections.
  process.exit();
}

const [, , role] = process.argv;
const part = role === undefined ? undefined : PARTS[role];
if (part) process.send?.(await part());
else await main();

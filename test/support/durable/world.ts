// Everything a durable run crosses, each in its own process or on its own port, so that a test can take any
// of it away: API, worker, agent.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { socketOf } from '../agent-socket.ts';
import { createApp } from '#api/app.ts';
import { internal } from '#api/handlers.ts';
import { agentRoutes } from '#api/routes/agents/agents.ts';
import { agentMemoryRoutes } from '#api/routes/agents/agent-memory.ts';
import { chatRoutes } from '#api/routes/conversation/chat.ts';
import { chatThreadRoutes } from '#api/routes/conversation/chat-threads.ts';
import { inboxRoutes } from '#api/routes/pauses/inbox.ts';
import { workLedgerRoutes } from '#api/routes/runs/work-ledger.ts';
import { workspaceGrantRoutes } from '#api/routes/workspace/workspace-grants.ts';
import { createLogger } from '#api/http/log.ts';
import { BUDGETS, createRateLimits } from '#api/http/rate-limit.ts';
import { type ApiServer, createApiServer } from '#api/server.ts';
import { type Client, clientOf } from '#contract/client.ts';
import { agentMemory } from '#contract/agents/agent-memory.ts';
import { agents } from '#contract/agents/agents.ts';
import { chat } from '#contract/conversation/chat.ts';
import { chatThreads } from '#contract/conversation/chat-threads.ts';
import { inbox } from '#contract/pauses/inbox.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { workspaceGrants } from '#contract/workspace/workspace-grants.ts';
import { workLedger } from '#contract/runs/work-ledger.ts';
import { audienceKey } from '#core/workspace/grant/keys.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { API_CONNECTIONS } from '#db/pool.ts';
import { LoginError } from '#drivers/idp/port.ts';
import { testContext, type TestContext, type TestUser } from '../context.ts';
import { type LiveAgent, liveAgent } from '../runs.ts';
import { testTemporal } from '../servers.ts';
import { testWorkflows } from '../workflows.ts';

export interface WorkerPlace {
  database: string;
  stateDir: string;
  secretsDir: string;
  hostSocket: string;
  temporal: { address: string; namespace: string };
  bundle: string;
  /** `host:port` of model servers on this machine. */
  modelHosts: string[];
}

export interface DurableWorld {
  t: TestContext;
  ada: TestUser;
  ben: TestUser;
  agent: LiveAgent;
  url: string;
  as(who: 'ada' | 'ben'): Client<typeof served>;
  token(who: 'ada' | 'ben'): string;
  /** What the agent really did, in order. */
  notes(): Promise<string[]>;
  startApi(): Promise<void>;
  /** As a crash would: every connection is cut. */
  stopApi(): Promise<void>;
  /** As SIGTERM does. */
  drainApi(): Promise<void>;
  startWorker(): Promise<void>;
  killWorker(): Promise<void>;
  /** SIGTERM; resolves with its exit code. */
  drainWorker(): Promise<number | null>;
  /** Process ids, for measurements. */
  pids(): { worker: number; agent: number };
  startAgent(): Promise<void>;
  killAgent(): Promise<void>;
  /**
   * Its process does nothing more; with `wakes` until somebody sends it something, as a machine that sleeps
   * does.
   */
  suspendAgent(how?: { wakes: boolean }): void;
  resumeAgent(): void;
  /** Every connection to the agent breaks, wherever in a message it is. */
  cutAgent(): void;
  close(): Promise<void>;
}

/** What these tests call of the API; what agents call is all there. */
const served = { agents, agentMemory, chat, chatThreads, inbox, workLedger, workspaceGrants };

const program = (name: string): string => fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
const policy = { timeout_seconds: null, idempotent: false, max_retries: 0 };
const numbers = (...names: string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'number' }])),
  required: names,
});
const inputs: Record<string, object> = { add: numbers('a', 'b'), tell: numbers('times', 'everyMs'), ask: numbers('times'), when: numbers('times') };
const skillCard = (id: string, more: object = {}): object => ({
  id,
  name: id,
  description: '',
  tags: [],
  policy: { ...policy, ...more },
  input_schema: inputs[id] ?? { type: 'object' },
  output_schema: {},
});

interface Servers {
  temporal: WorkerPlace['temporal'];
  databaseUrl: string;
  /** What the API answers is checked against its contract, as in production it is not. */
  strict?: boolean;
  modelHosts?: string[];
}

export async function durableWorld(servers?: Servers): Promise<DurableWorld> {
  const temporal = servers?.temporal ?? (await testTemporal());
  const t = await testContext({ temporal, connections: API_CONNECTIONS, ...(servers ? { databaseUrl: servers.databaseUrl } : {}) });
  const [ada, ben] = [await t.user('ada'), await t.user('ben')];
  const skills = [
    ...['add', 'fail', 'large', 'tell', 'ask', 'relay', 'relay_far', 'obey', 'when', 'tick', 'lie'].map((id) => skillCard(id)),
    skillCard('again', { idempotent: true, max_retries: 2 }),
  ];
  const agent = await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public', card: { skills } });
  // As a deployment leaves it: with every default in its place.
  const card = AgentCard.parse({ name: agent.name, description: 'For tests.', version: '1.0.0', skills, runtime: { resources: { max_runtime_seconds: 30 } } });
  for (const table of ['agents', 'deployments'] as const)
    await t.ctx
      .db(table)
      .where({ agent_id: agent.id })
      .update({ card: JSON.stringify(card) });
  const tokens = { ada: await tokenOf(t, ada.actor.user_id), ben: await tokenOf(t, ben.actor.user_id) };
  const { codePath: bundle } = await testWorkflows();
  const place: WorkerPlace = {
    database: t.databaseUrl,
    stateDir: t.stateDir,
    secretsDir: join(t.stateDir, 'secrets'),
    hostSocket: join(t.stateDir, 'run', 'host.sock'),
    temporal,
    bundle,
    modelHosts: servers?.modelHosts ?? [],
  };
  const socket = socketOf(t.ctx.drivers.runtime.address(agent.instanceId));
  const noteFile = join(t.stateDir, 'notes');
  let api: ApiServer | undefined;
  let worker: ChildProcess | undefined;
  let agentProcess: ChildProcess | undefined;
  let wire: Wire | undefined;
  let asleep = false;
  let url = '';

  const world: DurableWorld = {
    t,
    ada,
    ben,
    agent,
    get url() {
      return url;
    },
    as: (who) => clientOf(served, { baseUrl: url, token: tokens[who] }),
    token: (who) => tokens[who],
    notes: () =>
      readFile(noteFile, 'utf8').then(
        (text) => text.split('\n').filter((line) => line !== ''),
        () => [],
      ),
    async startApi() {
      api = apiServer(t, servers?.strict ?? true);
      url = await api.listen(url === '' ? 0 : Number(new URL(url).port), '127.0.0.1');
    },
    async stopApi() {
      api?.server.closeAllConnections();
      await api?.close();
      api = undefined;
    },
    async drainApi() {
      await api?.close();
      api = undefined;
    },
    startWorker: async () => void (worker = await begin('worker', [JSON.stringify(place)])),
    pids: () => ({ worker: worker?.pid ?? 0, agent: agentProcess?.pid ?? 0 }),
    killWorker: async () => void (worker = await kill(worker)),
    async drainWorker() {
      const leaving = worker;
      if (!leaving) return null;
      const gone = once(leaving, 'exit');
      leaving.kill('SIGTERM');
      const [code] = (await gone) as [number | null];
      worker = undefined;
      return code;
    },
    async startAgent() {
      await mkdir(dirname(socket), { recursive: true });
      await rm(`${socket}.own`, { force: true });
      agentProcess = await begin('agent', [
        `${socket}.own`,
        url,
        noteFile,
        Buffer.from(await audienceKey(t.ctx, agent.name)).toString('base64url'),
        agent.name,
      ]);
      wire ??= await openWire(socket, `${socket}.own`, () => {
        if (asleep) world.resumeAgent();
      });
    },
    killAgent: async () => void (agentProcess = await kill(agentProcess)),
    suspendAgent({ wakes } = { wakes: false }) {
      agentProcess?.kill('SIGSTOP');
      asleep = wakes;
    },
    resumeAgent() {
      asleep = false;
      agentProcess?.kill('SIGCONT');
    },
    cutAgent: () => wire?.cut(),
    async close() {
      await Promise.all([kill(worker), kill(agentProcess), world.stopApi(), wire?.close()]);
      await t.close();
    },
  };
  try {
    await world.startApi();
    await Promise.all([world.startWorker(), world.startAgent()]);
  } catch (error) {
    await world.close();
    throw error;
  }
  return world;
}

function apiServer({ ctx }: TestContext, strict: boolean): ApiServer {
  const stopping = new AbortController();
  const many = Object.fromEntries(Object.keys(BUDGETS).map((limiter) => [limiter, { points: 100_000, seconds: 60 }]));
  const app = createApp(
    served,
    {
      agents: agentRoutes,
      agentMemory: agentMemoryRoutes,
      chat: chatRoutes,
      chatThreads: chatThreadRoutes,
      inbox: inboxRoutes,
      workLedger: workLedgerRoutes,
      workspaceGrants: workspaceGrantRoutes,
    },
    {
      ...ctx,
      strict,
      shutdown: stopping.signal,
      limits: createRateLimits(ctx.db, { ...BUDGETS, ...many }),
      log: createLogger('info', { write: () => undefined }),
      authenticate: createAuthenticator({
        db: ctx.db,
        vault: ctx.drivers.vault,
        clock: ctx.clock,
        accessTokens: { verify: () => Promise.reject(new LoginError('invalid', 'no identity provider here')) },
      }),
    },
    internal,
  );
  return createApiServer({ api: app.callback(), stopping });
}

interface Wire {
  cut(): void;
  close(): Promise<void>;
}

/** Between platform and agent, as the host's bridge is. */
async function openWire(path: string, to: string, onSent: () => void): Promise<Wire> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to);
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      open.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(one);
          other.destroy();
        });
    }
    near.on('data', onSent).pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const cut = (): void => open.forEach((socket) => socket.destroy());
  return {
    cut,
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function begin(name: string, args: string[]): Promise<ChildProcess> {
  const child = fork(program(name), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (message !== 'ready') throw new Error(`the ${name} ended before it was ready`);
  return child;
}

async function kill(child: ChildProcess | undefined): Promise<undefined> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return undefined;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  return undefined;
}

async function tokenOf({ ctx }: TestContext, user_id: string): Promise<string> {
  const made = newPlatformToken();
  await ctx.db('platform_tokens').insert({ token_id: newId('tok'), token_hash: hashSecret(made), kind: 'user', user_id, agent_id: null, label: 'test' });
  return made;
}

// An agent as MCP clients meet it on the platform: the real runtime behind the real ingress, its run context over the real API and database.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { socketOf } from '../support/agent-socket.ts';
import { createLogger } from '#api/http/log.ts';
import { createGrpc } from '#api/ingress/grpc.ts';
import { createIngress } from '#api/ingress/ingress.ts';
import { createApiServer } from '#api/server.ts';
import { callAtHost } from '#core/runs/call/at-host.ts';
import { callingAt, identityHeaders } from '#core/runs/run/caller.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { Unauthorized } from '#core/kernel/errors.ts';
import { audienceKey } from '#core/workspace/grant/keys.ts';
import { pooledAgentHttp } from '#drivers/agent-http/pooled.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import type { Agent } from '#sdk/typescript/authoring/agent.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { startAgent, type StartOptions } from '#sdk/typescript/runtime/start.ts';
import { createWorld, type World } from '../api/world.ts';
import { liveAgent, type LiveAgent } from '../support/runs.ts';
import { userActor } from '../support/verbs.ts';

export type Person = 'ada' | 'ben';
export type Era = 'legacy' | 'auto';

export interface McpWorld {
  world: World;
  agent: LiveAgent;
  users: Record<Person, string>;
  /** `http://127.0.0.1:…/mcp` */
  url: string;
  /** The official client as a person, or as nobody, at a public agent of Ben's. `legacy`: the revisions of 2025. */
  connect(who: Person | null, options?: { era?: Era; headers?: Record<string, string>; capabilities?: object }): Promise<Client>;
  close(): Promise<void>;
}

export async function mcpWorld(make: (name: string) => Agent, options: Pick<StartOptions, 'resumeMs'> = {}): Promise<McpWorld> {
  const world = await createWorld();
  const pools = createAgentPools({ connections: 8, inFlight: 64, pools: 4, idleMs: 60_000, connectMs: 1_000 });
  const ctx = { ...world.ctx, drivers: { ...world.ctx.drivers, agentHttp: pooledAgentHttp(pools) } };
  const idOf = async (name: Person): Promise<string> => (await ctx.db('users').where('email', 'like', `${name}%`).first('user_id'))?.user_id ?? '';
  const users = { ada: await idOf('ada'), ben: await idOf('ben') };
  const agent = await liveAgent(ctx, users.ben, { visibility: 'public' });
  const path = socketOf(ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  const grantKey = Buffer.from(await audienceKey(ctx, agent.name)).toString('base64url');
  const started = await startAgent(make(agent.name), {
    apiKey: 'the-key',
    platform: controlPlane({ url: world.url, grantKey }),
    listen: { path },
    drainMs: 500,
    onLog: () => {},
    ...options,
  });
  const ingress = createIngress({
    whileAllowed: () => () => undefined,
    config: ctx.config,
    ownerOf: () => ({ kind: 'agent', name: agent.name }),
    issuer: 'http://localhost/idp',
    resolve: (name) => resolveRoute(ctx, name),
    authenticate: async ({ authorization }) => {
      const who = (['ada', 'ben'] as const).find((name) => authorization === `Bearer ${world.tokens[name]}`);
      if (!who) throw new Unauthorized('token_invalid', 'sign in again');
      return userActor(users[who]);
    },
    log: createLogger('silent'),
    pools,
    beginTask: async () => ({}),
    identify: (route, actor) => identityHeaders(ctx, callingAt(route, actor), { apiKey: route.apiKey, runId: null }),
    callAgent: (call, requestId) => callAtHost({ ...ctx, actor: call.actor, requestId }, call),
  });
  const server = createApiServer({
    fronts: [ingress.front],
    grpc: createGrpc,
    api: (_request, response) => response.writeHead(404).end(),
    stopping: new AbortController(),
    graceMs: 500,
  });
  const url = `${await server.listen(0, '127.0.0.1')}/mcp`;
  return {
    world,
    agent,
    users,
    url,
    connect: async (who, { era = 'auto', headers = {}, capabilities = {} } = {}) => {
      const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation: { mode: era } });
      onTestFinished(() => client.close());
      const all = { ...headers, ...(who && { authorization: `Bearer ${world.tokens[who]}` }) };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: all } }));
      return client;
    },
    async close() {
      await server.close();
      await pools.close();
      await started.shutdown();
      await world.close();
    },
  };
}

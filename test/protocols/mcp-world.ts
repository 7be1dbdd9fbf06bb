// An agent as MCP clients meet it on the platform: the real runtime behind the real ingress, its run context
// over the real API and database.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { socketOf } from '../support/agent-socket.ts';
import { createLogger } from '#api/http/log.ts';
import { createGrpc } from '#api/ingress/grpc.ts';
import { createIngress } from '#api/ingress/ingress.ts';
import { createApiServer } from '#api/server.ts';
import { callAtHost } from '#test/support/calls.ts';
import { apiKeyContext, resolveRoute } from '#core/agents/route/resolve.ts';
import { readsOn } from '#core/runs/call/continued.ts';
import { beginRun, callerHeaders } from '#core/runs/run/begin.ts';
import { callingAt, identityHeaders } from '#core/runs/run/caller.ts';
import { routeOfTask } from '#core/runs/task/place.ts';
import { newId } from '#core/kernel/ids.ts';
import { Unauthorized } from '#core/kernel/errors.ts';
import { audienceKey } from '#core/workspace/grant/keys.ts';
import { pooledAgentHttp } from '#drivers/agent-http/pooled.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import type { Agent } from '#sdk/typescript/authoring/agent.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { type StartedAgent, startAgent, type StartOptions } from '#sdk/typescript/runtime/start.ts';
import { createWorld, type World, type WorldOptions } from '../api/world.ts';
import { liveAgent, type LiveAgent } from '../support/runs.ts';
import { userActor } from '../support/verbs.ts';

const THE_KEY = 'the-key';

export type Person = 'ada' | 'ben';
export type Era = 'legacy' | 'auto';

export interface McpWorld {
  world: World;
  agent: LiveAgent;
  users: Record<Person, string>;
  /** `http://127.0.0.1:…/mcp` */
  url: string;
  /**
   * The official client as a person, or as nobody, at a public agent of Ben's. `legacy`: the revisions of
   * 2025.
   */
  connect(who: Person | null, options?: { era?: Era; headers?: Record<string, string>; capabilities?: object }): Promise<Client>;
  /**
   * Another version goes live; what runs in the one before goes on there. Resolves with what ends the machine
   * of the one before.
   */
  redeploy(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export async function mcpWorld(make: (name: string) => Agent, { resumeMs, ...options }: WorldOptions & Pick<StartOptions, 'resumeMs'> = {}): Promise<McpWorld> {
  const world = await createWorld(options);
  const pools = createAgentPools({ connections: 8, inFlight: 64, pools: 4, idleMs: 60_000, connectMs: 1_000 });
  const ctx = { ...world.ctx, drivers: { ...world.ctx.drivers, agentHttp: pooledAgentHttp(pools) } };
  const idOf = async (name: Person): Promise<string> => (await ctx.db('users').where('email', 'like', `${name}%`).first('user_id'))?.user_id ?? '';
  const users = { ada: await idOf('ada'), ben: await idOf('ben') };
  const agent = await liveAgent(ctx, users.ben, { visibility: 'public' });
  const grantKey = Buffer.from(await audienceKey(ctx, agent.name)).toString('base64url');
  /** The first one's is what `liveAgent` wrote. */
  const keyOf = (instanceId: string): string => (instanceId === agent.instanceId ? THE_KEY : `${THE_KEY}-${instanceId}`);
  const serve = async (instanceId: string): Promise<StartedAgent> => {
    const path = socketOf(ctx.drivers.runtime.address(instanceId));
    await mkdir(dirname(path), { recursive: true });
    return await startAgent(make(agent.name), {
      apiKey: keyOf(instanceId),
      platform: controlPlane({ url: world.url, grantKey }),
      listen: { path },
      drainMs: 500,
      onLog: () => {},
      ...(resumeMs !== undefined && { resumeMs }),
    });
  };
  const machines = new Map([[agent.instanceId, await serve(agent.instanceId)]]);
  let live = agent.instanceId;
  const ingress = createIngress({
    platform: { config: ctx.config, issuer: 'http://localhost/idp' },
    network: { ownerOf: () => ({ kind: 'agent', name: agent.name }) },
    resolve: (name) => resolveRoute(ctx, name),
    admit: {
      whileAllowed: () => () => undefined,
      authenticate: async ({ authorization }) => {
        const who = (['ada', 'ben'] as const).find((name) => authorization === `Bearer ${world.tokens[name]}`);
        if (!who) throw new Unauthorized('token_invalid', 'sign in again');
        return userActor(users[who]);
      },
    },
    call: {
      beginTask: ({ route, actor }) => callerHeaders(ctx, beginRun(ctx, { route, actor, skill: 'task' }), route.maxRuntimeMs),
      placeOf: (route, asked) => routeOfTask(ctx, route, readsOn(asked)),
      identify: (route, actor) => identityHeaders(ctx, callingAt(route, actor), { apiKey: route.apiKey, runId: null }),
      callAgent: (call, requestId) => callAtHost({ ...ctx, actor: call.actor, requestId }, call),
    },
    pass: { pools },
    report: { log: createLogger('silent') },
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
    async redeploy() {
      const [before, next] = [live, newId('ins')];
      live = next;
      const [number] = await ctx.db('deployments').where({ agent_id: agent.id }).max({ most: 'number' });
      const [deploy_id, job_id] = [newId('dep'), newId('job')];
      await ctx.db('jobs').insert({ job_id, kind: 'deploy', state: 'succeeded', title: 'Deploy', owner_id: users.ben, ended_at: new Date() });
      const [row] = await ctx.db('deployments').where({ agent_id: agent.id, state: 'live' }).update({ state: 'superseded', ended_at: new Date() }).returning('*'); // prettier-ignore
      if (!row) throw new Error('nothing is live');
      const { manifest, card, warnings: _warnings, differences: _differences, ...same } = row;
      const stored = { manifest: JSON.stringify(manifest), card: JSON.stringify(card) };
      await ctx
        .db('deployments')
        .insert({ ...same, ...stored, deploy_id, job_id, number: Number(number?.most) + 1, state: 'live', ended_at: null, error: null });
      await ctx.db('instances').where({ instance_id: before }).update({ state: 'draining' });
      const api_key_sealed = await ctx.drivers.vault.seal(Buffer.from(keyOf(next)), apiKeyContext(next));
      await ctx
        .db('instances')
        .insert({ instance_id: next, deploy_id, agent_id: agent.id, node: 'local', state: 'serving', api_key_sealed, runtime: 'sha256:2' });
      await ctx.db('agents').where({ agent_id: agent.id }).update({ live_deploy_id: deploy_id });
      machines.set(next, await serve(next));
      ingress.routeChanged(agent.name);
      return async () => {
        await ctx.db('instances').where({ instance_id: before }).update({ state: 'stopped', stopped_at: new Date() });
        await machines.get(before)?.shutdown();
      };
    },
    async close() {
      await server.close();
      await pools.close();
      for (const one of machines.values()) await one.shutdown();
      await world.close();
    },
  };
}

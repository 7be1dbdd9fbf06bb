// Every way in to an agent, through the real API verbs, the real ingress and the real runtime; only the
// machine around the agent is missing.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import { createIngress } from '#api/ingress/ingress.ts';
import { createLogger } from '#api/http/log.ts';
import { createApiServer } from '#api/server.ts';
import { agentSessions } from '#api/ingress/agent-sessions.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import type { WayName } from '../../docs/callers.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { inTx } from '#core/kernel/tx.ts';
import { callAtHost, callMcp, invokeSkill } from '#test/support/calls.ts';
import { driveRun } from '#core/runs/durable/drive.ts';
import { startRun } from '#core/runs/durable/start.ts';
import { beginRun, callerHeaders } from '#core/runs/run/begin.ts';
import { callingAt, identityHeaders } from '#core/runs/run/caller.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { LoginError } from '#drivers/idp/port.ts';
import type { StartedAgent } from '#sdk/typescript/runtime.ts';
import { socketOf } from '../support/agent-socket.ts';
import { testContext, type TestUser } from '../support/context.ts';
import { liveAgent, type LiveAgent } from '../support/runs.ts';

export const KEY = 'the-key';

/** What a skill under test says of its caller; any protocol carries it unchanged. */
export interface Seen {
  auth: Record<string, unknown>;
  caller: Record<string, unknown> | null;
}

export function saying(seen: Seen): string {
  return `seen:${Buffer.from(JSON.stringify(seen)).toString('base64url')};`;
}

export interface Answer {
  status: number;
  seen: Seen | undefined;
  text: string;
}

function answer(status: number, text: string): Answer {
  const said = /seen:([\w-]+);/.exec(text)?.[1];
  return { status, text, seen: said === undefined ? undefined : (JSON.parse(Buffer.from(said, 'base64url').toString()) as Seen) };
}

interface Asked {
  /** Absent: nobody is signed in. */
  by?: TestUser | undefined;
  agent: LiveAgent;
  skill: string;
  /** At the agent's host. */
  headers?: Record<string, string>;
}

type Way = (asked: Asked) => Promise<Answer>;

export async function openWorld() {
  const t = await testContext();
  const { ctx } = t;
  const here = new AbortController().signal;
  const pools = createAgentPools({ connections: 8, inFlight: 16, pools: 32, idleMs: 60_000, connectMs: 1_000 });
  const ingress = createIngress({
    platform: { config: ctx.config, issuer: 'http://localhost:8080/idp' },
    resolve: (name) => resolveRoute(ctx, name),
    admit: {
      whileAllowed: () => () => undefined,
      authenticate: createAuthenticator({
        db: ctx.db,
        vault: ctx.drivers.vault,
        clock: Date.now,
        accessTokens: { verify: () => Promise.reject(new LoginError('invalid', 'no identity provider here')) },
      }),
    },
    sessions: agentSessions({ ...ctx, actor: { kind: 'anonymous' } }),
    call: {
      beginTask: ({ route, actor }) => callerHeaders(ctx, beginRun(ctx, { route, actor, skill: 'task' }), route.maxRuntimeMs),
      identify: (route, actor) => identityHeaders(ctx, callingAt(route, actor), { apiKey: route.apiKey, runId: null }),
      callAgent: (call, requestId) => callAtHost({ ...ctx, actor: call.actor, requestId }, call),
    },
    pass: { pools },
    report: { log: createLogger('silent') },
  });
  const server = createApiServer({
    fronts: [ingress.front],
    upgrades: [ingress.upgrade],
    api: (_request, response) => response.writeHead(404).end(),
    stopping: new AbortController(),
    graceMs: 500,
  });
  const url = await server.listen(0, '127.0.0.1');
  const started: StartedAgent[] = [];

  /** A bearer token of the account. */
  async function token(user: TestUser): Promise<string> {
    const secret = `svc_${newId('tok')}`;
    const expires_at = new Date(Date.now() + 3_600_000);
    await ctx
      .db('platform_tokens')
      .insert({ token_id: newId('tok'), token_hash: hashSecret(secret), kind: 'user', user_id: user.actor.user_id, label: 'test', expires_at });
    return secret;
  }

  /** Serves what `start` starts on the instance's socket. */
  async function serve(
    owner: TestUser,
    start: (listen: { path: string }) => Promise<StartedAgent>,
    { visibility = 'public', card }: { visibility?: 'public' | 'unlisted'; card?: AgentCard } = {},
  ): Promise<LiveAgent> {
    const agent = await liveAgent(ctx, owner.actor.user_id, { visibility });
    const path = socketOf(ctx.drivers.runtime.address(agent.instanceId));
    await mkdir(dirname(path), { recursive: true });
    const running = await start({ path });
    started.push(running);
    const declared = JSON.stringify({ ...(card ?? running.card), name: agent.name });
    await ctx.db('deployments').where({ deploy_id: agent.deployId }).update({ card: declared });
    await ctx.db('agents').where({ agent_id: agent.id }).update({ card: declared });
    return agent;
  }

  const as = (by: TestUser | undefined): Ctx => by ?? { ...ctx, actor: { kind: 'anonymous' } };

  async function atHost({ by, agent, headers = {} }: Asked, path: string, body: unknown): Promise<Answer> {
    const own = by ? { authorization: `Bearer ${await token(by)}` } : {};
    const response = await request(`${url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...own,
        ...headers,
        host: `${agent.name}.${ctx.config.agentsDomain}`,
      },
      body: JSON.stringify(body),
    });
    return answer(response.statusCode, await response.body.text());
  }

  async function refused(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      const { details, code } = error as { details?: { agent_status?: number }; code?: string };
      return { status: details?.agent_status ?? 500, seen: undefined, text: `${code}: ${String(error)}` };
    }
  }

  const tool = (skill: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: skill, arguments: {} } });
  const textOf = async (body: unknown): Promise<string> => (body instanceof Readable ? (await buffer(body)).toString() : JSON.stringify(body));

  const ways = {
    api: ({ by, agent, skill }) =>
      refused(async () => {
        const out = await invokeSkill(as(by), { name: agent.name, skill_name: skill, args: {}, accept: undefined, signal: here });
        return answer(out.status, await textOf(out.body));
      }),
    'api mcp': ({ by, agent, skill }) =>
      refused(async () => {
        const out = await callMcp(as(by), { name: agent.name, message: tool(skill), headers: { 'mcp-protocol-version': '2025-06-18' }, signal: here });
        return answer(out.status, await textOf(out.body));
      }),
    host: (asked) => atHost(asked, `/invoke/${asked.skill}`, {}),
    'host mcp': (asked) => atHost({ ...asked, headers: { 'mcp-protocol-version': '2025-06-18', ...asked.headers } }, '/mcp', tool(asked.skill)),
    a2a: (asked) =>
      atHost({ ...asked, headers: { 'a2a-version': '1.0', ...asked.headers } }, '/message:send', {
        message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ data: {} }], metadata: { skill: asked.skill } },
      }),
    'ag-ui': (asked) =>
      atHost(asked, '/ag-ui', { threadId: crypto.randomUUID(), runId: crypto.randomUUID(), messages: [], forwardedProps: { skill: asked.skill, args: {} } }),
    /** As schedules, chats and `svc start` do. */
    run: ({ by, agent, skill }) =>
      refused(async () => {
        if (!by) throw new Error('a run has an account');
        const platform: Ctx = { ...ctx, actor: { kind: 'platform', service: 'schedules' } };
        const { run_id, job_id } = await inTx(platform, (ctx) => startRun(ctx, { userId: by.actor.user_id, agent: agent.name, skill, args: {} }));
        await driveRun(platform, run_id, AbortSignal.timeout(60_000));
        const events = await ctx.db('job_events').where({ job_id }).select('payload');
        const job = await ctx.db('jobs').where({ job_id }).first();
        return answer(job?.state === 'succeeded' ? 200 : 401, JSON.stringify([events, job]));
      }),
  } satisfies Record<WayName, Way>;

  return {
    t,
    url,
    ways,
    serve,
    token,
    atHost,
    async close() {
      await server.close();
      await pools.close();
      for (const one of started) await one.shutdown();
      await t.close();
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

// An agent as the platform serves it to the task protocol's clients: the real runtime behind the real
// ingress, on one port, without a machine between.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createIngress } from '#api/ingress/ingress.ts';
import { createGrpc } from '#api/ingress/grpc.ts';
import { createCards } from '#api/ingress/card.ts';
import { isEventStream } from '#api/http/idle-timer.ts';
import { createLogger } from '#api/http/log.ts';
import { createApiServer } from '#api/server.ts';
import type { HostCall } from '#core/runs/call/at-host.ts';
import { pooledAgentHttp } from '#drivers/agent-http/pooled.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { createVault } from '#drivers/vault/key-file.ts';
import { Unauthorized } from '#core/kernel/errors.ts';
import { HEADER } from '#contract/wire/headers.ts';
import type { Agent } from '#sdk/typescript/authoring/agent.ts';
import { startAgent } from '#sdk/typescript/runtime/start.ts';

const KEY = 'the-agents-key';

export interface Hosted {
  /** `http://127.0.0.1:…` */
  url: string;
  /** Calls that went through the domain, which seals receipts. */
  calls: { path: string; actor: string }[];
  stop: () => Promise<void>;
}

export interface HostedOptions {
  visibility?: 'public' | 'unlisted';
  port?: number;
  allowedOrigins?: string[];
  /** Default true. */
  listGrpc?: boolean;
}

/**
 * Reached as 127.0.0.1, which is the agent `127` of the domain `0.0.1`: other hosts' names need not resolve
 * where tests run. `svc_ada` is a token of its owner.
 */
export async function hosted(agent: Agent, { visibility = 'public', port = 0, listGrpc = true, allowedOrigins }: HostedOptions = {}): Promise<Hosted> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-a2a-'));
  const socketPath = join(folder, 'agent.sock');
  const started = await startAgent(agent, { apiKey: KEY, listen: { path: socketPath }, localPush: true, drainMs: 500, onLog: () => {} });
  const pools = createAgentPools({ connections: 32, inFlight: 64, pools: 4, idleMs: 60_000, connectMs: 1_000 });
  const http = pooledAgentHttp(pools);
  const calls: Hosted['calls'] = [];
  let runs = 0;
  const runHeaders = (actor: HostCall['actor'], begins: boolean): Record<string, string> => {
    const claims = Buffer.from(JSON.stringify({ u: actor.kind === 'user' ? actor.user_id : null, c: [actor.kind, null] })).toString('base64url');
    return { ...(begins && { [HEADER.runId]: `run_test${(runs += 1)}`, [HEADER.detached]: '1' }), [HEADER.runToken]: `svc_run_${claims}.mac` };
  };
  let url = '';
  const vault = createVault([Buffer.alloc(32, 7)]);
  const cards = createCards({ drivers: { vault } as Parameters<typeof createCards>[0]['drivers'], clock: Date.now }, { listGrpc });
  const ingress = createIngress({
    platform: { config: { baseUrl: 'http://localhost', agentsDomain: 'localhost' }, issuer: 'http://localhost/idp' },
    // Official clients resolve no names below localhost everywhere: they come by the address.
    network: { ownerOf: () => ({ kind: 'agent', name: started.card.name }) },
    resolve: async () => ({
      agentId: 'agt_1',
      agentName: started.card.name,
      ownerId: 'usr_ada',
      deployId: 'dep_1',
      version: started.card.version,
      image: 'sha256:1',
      runtime: 'sha256:2',
      visibility,
      address: { unix: socketPath },
      apiKey: KEY,
      maxRuntimeMs: 60_000,
      card: started.card,
      ...(allowedOrigins && { allowedOrigins }),
    }),
    admit: {
      whileAllowed: () => () => undefined,
      authenticate: async ({ authorization }) => {
        if (authorization !== 'Bearer svc_ada') throw new Unauthorized('token_invalid', 'sign in again');
        return { kind: 'user', user_id: 'usr_ada', email: 'ada@example.com', operator: false, via: 'bearer' };
      },
    },
    about: { cards: (asked) => cards({ ...asked, site: { ...asked.site, origin: url } }) },
    call: {
      beginTask: async ({ actor }) => runHeaders(actor, false),
      callAgent: async ({ route, actor, face, headers, body, signal }) => {
        const path = face.kind === 'task' ? face.path : face.kind === 'tools' ? '/mcp' : `/invoke/${face.skill}`;
        calls.push({ path, actor: actor.kind === 'user' ? actor.user_id : actor.kind });
        const begins = !/"task_?[iI]d"\s*:\s*"[^"]/.test(body.toString());
        const own = Object.entries(runHeaders(actor, begins)).flat();
        const answer = await http.send(route, { method: 'POST', path, headers: [...headers, ...own], body, signal, timeoutMs: 60_000 });
        // A skill's result comes whole, as the domain reads it.
        return face.kind === 'skill' && !isEventStream(answer.headers) ? { ...answer, body: await buffer(answer.body) } : answer;
      },
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
  url = await server.listen(port, '127.0.0.1');
  return {
    url,
    calls,
    async stop() {
      await server.close();
      await pools.close();
      await started.shutdown();
      await rm(folder, { recursive: true });
    },
  };
}

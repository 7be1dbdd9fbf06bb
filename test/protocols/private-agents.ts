// Two private agents of Ada's behind the ingress, with the real identity provider on the same port, and two
// programs it has never heard of.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveAuth } from '#api/routes/identity/test/sign-in.ts';
import { createLogger } from '#api/http/log.ts';
import { createIngress } from '#api/ingress/ingress.ts';
import type { IngressRoute } from '#api/ingress/route-cache.ts';
import { pooledAgentHttp } from '#drivers/agent-http/pooled.ts';
import { createAgentPools } from '#drivers/agent-http/pools.ts';
import { tlsService } from '../support/tls.ts';
import { Agent, skill, z } from '#sdk/typescript/index.ts';
import { startAgent, type StartedAgent } from '#sdk/typescript/runtime/start.ts';
import { addAgent } from '../support/verbs.ts';

const KEY = 'the-key';

export interface PrivateAgents {
  api: Awaited<ReturnType<typeof serveAuth>>;
  agents: { name: string; origin: string; mcp: string }[];
  /** Addresses of the programs' documents. */
  clients: { https: string; http: string; unlisted: string };
  /** What an agent was sent, whose calls it saw. */
  heard: { agent: string; as: string; headers: string[] }[];
  /** Changes what the documents say. */
  describe(more: Record<string, unknown>): void;
  close(): Promise<void>;
}

export async function startPrivateAgents(): Promise<PrivateAgents> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-private-'));
  let more: Record<string, unknown> = {};
  const describe =
    (scheme: string): RequestListener =>
    (request, response) => {
      const id = `${scheme}://${request.headers.host}${request.url}`;
      const document = {
        client_id: id,
        client_name: 'Clipboard',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
      };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...document, ...more }));
    };
  const secure = await tlsService('localhost', describe('https'));
  const [plain, unlisted] = [createServer(describe('http')), createServer(describe('http'))];
  for (const server of [plain, unlisted]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port.
  const portOf = (server: typeof plain): number => (server.address() as AddressInfo).port;
  const localHosts = [`localhost:${secure.port}`, `127.0.0.1:${portOf(plain)}`];

  const pools = createAgentPools({ connections: 4, inFlight: 8, pools: 4, idleMs: 60_000, connectMs: 1_000 });
  const http = pooledAgentHttp(pools);
  const routes = new Map<string, IngressRoute>();
  const heard: PrivateAgents['heard'] = [];
  const api = await serveAuth(
    (ctx, authenticate, issuer) =>
      createIngress({
        platform: { config: ctx.config, issuer },
        resolve: async (name) => routes.get(name),
        admit: { authenticate, whileAllowed: () => () => undefined },
        call: {
          beginTask: async () => ({}),
          callAgent: async ({ route, actor, face, headers, body, signal }) => {
            heard.push({ agent: route.agentName, as: actor.kind === 'user' ? `${actor.email} by ${actor.via}` : actor.kind, headers });
            const path = face.kind === 'skill' ? `/invoke/${face.skill}` : '/mcp';
            return http.send(route, { method: 'POST', path, headers, body, signal, timeoutMs: 20_000 });
          },
        },
        pass: { pools },
        report: { log: createLogger('silent') },
      }).front,
    { localHosts, ca: await readFile(secure.caFile, 'utf8') },
  );
  const owner = await api.as((await api.tokens('ada@svc.local')).access_token).auth.me({});
  const started: StartedAgent[] = [];
  const agents: PrivateAgents['agents'] = [];
  for (const index of [0, 1]) {
    const { id, name } = await addAgent(api.db, owner.user_id, { live: true });
    class Private extends Agent {
      override name = name;
      override description = 'Private';
      override version = '1.0.0';
      add = skill(
        { description: 'Adds.', input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
        async (_ctx, { a, b }) => ({
          sum: a + b,
        }),
      );
    }
    const socketPath = join(folder, `${index}.sock`);
    started.push(await startAgent(Private, { apiKey: KEY, listen: { path: socketPath }, onLog: () => undefined }));
    routes.set(name, {
      agentId: id, agentName: name, ownerId: owner.user_id, deployId: `dep_${index}`, version: '1.0.0', image: 'sha256:1', runtime: 'sha256:2',
      visibility: 'unlisted', address: { unix: socketPath }, apiKey: KEY, maxRuntimeMs: 20_000,
    }); // prettier-ignore
    const origin = `http://${name}.${new URL(api.baseUrl).host}`;
    agents.push({ name, origin, mcp: `${origin}/mcp` });
  }
  return {
    api,
    agents,
    clients: {
      https: `https://localhost:${secure.port}/clipboard.json`,
      http: `http://127.0.0.1:${portOf(plain)}/clipboard.json`,
      unlisted: `http://127.0.0.1:${portOf(unlisted)}/clipboard.json`,
    },
    heard,
    describe: (next) => void (more = next),
    async close() {
      for (const agent of started) await agent.shutdown();
      await pools.close();
      await api.close();
      await secure.close();
      for (const server of [plain, unlisted]) server.close();
      await rm(folder, { recursive: true });
    },
  };
}

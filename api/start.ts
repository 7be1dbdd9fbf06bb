// Composition of the API process: drivers, identity, the contract's routes, the ingress, one port.
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { contract } from '#contract/index.ts';
import { CARD_KEYS_PATH } from '#contract/wire/a2a-card.ts';
import { publishedCardKeys } from '#core/agents/card/keys.ts';
import { aiCatalog, CATALOG_TYPE } from '#core/public/agent/catalog.ts';
import { callAtHost } from '#core/runs/call/at-host.ts';
import { startHeartbeat } from '#core/runs/call/open-calls.ts';
import { beginRun, callerHeaders } from '#core/runs/run/begin.ts';
import { agentUrl } from '#core/agents/agent/url.ts';
import { describeAgent } from '#core/agents/route/describe.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { routeChannel } from '#core/agents/route/changed.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { startListener } from '#core/jobs/wakeups.ts';
import { openDatabase } from '#core/kernel/database.ts';
import { pendingMigrations } from '#core/platform/migrations.ts';
import { openDrivers } from '#drivers/open.ts';
import { s3Configuration } from '#drivers/storage/environment.ts';
import { hostOwner } from '#contract/wire/host-owner.ts';
import { guestSocket } from '#drivers/runtime/sockets.ts';
import { createApp } from './app.ts';
import type { ApiEnvironment } from './environment.ts';
import { createGuestListener } from './guests.ts';
import { handlers, internal } from './handlers.ts';
import { databasePart, migrationsPart, type Part } from './http/health.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import { BUDGETS, createRateLimits } from './http/rate-limit.ts';
import { createCards } from './ingress/card.ts';
import { createGrpc } from './ingress/grpc.ts';
import { createIngress } from './ingress/ingress.ts';
import { agentSessions } from './ingress/agent-sessions.ts';
import { createIdentity } from './routes/identity/compose.ts';
import { mcpRegistry } from './routes/public/mcp-registry.ts';
import { createApiServer } from './server.ts';

export interface RunningApi {
  /** `http://127.0.0.1:8080` */
  url: string;
  /** Readiness first, then streams, then what is in flight, then the pools. */
  stop(): Promise<void>;
}

/** `budgets`: how much callers may ask, when not as usual. */
export async function startApi(env: ApiEnvironment, log: Logger, { budgets = BUDGETS } = {}): Promise<RunningApi> {
  const config = { baseUrl: env.SVC_BASE_URL, agentsDomain: env.SVC_AGENTS_DOMAIN };
  const db = openDatabase('api', env.DATABASE_URL);
  const [open, listener] = await Promise.all([openDrivers(driverOptions(env)), startListener(env.DATABASE_URL, [routeChannel])]);
  const identity = await createIdentity({
    config,
    db,
    vault: open.vault,
    issuer: env.OIDC_ISSUER,
    secretsDir: env.SVC_SECRETS_DIR,
    client: env.OIDC_CLIENT_ID && env.OIDC_CLIENT_SECRET ? { id: env.OIDC_CLIENT_ID, secret: env.OIDC_CLIENT_SECRET } : undefined,
    audience: env.OIDC_AUDIENCE,
    operators: env.SVC_OPERATORS,
    signUp: env.SVC_SIGNUP,
    clientHosts: env.SVC_OAUTH_CLIENT_HOSTS,
    trustProxy: env.SVC_TRUST_PROXY,
    onError: (error) => log.error({ err: error }, 'identity'),
  });
  const stopping = new AbortController();
  const metrics = createMetrics();
  const ctx: Ctx = {
    actor: { kind: 'anonymous' },
    config,
    db,
    drivers: { ...open, accessTokens: identity.accessTokens, login: identity.login, wakeups: listener },
    clock: Date.now,
    requestId: 'start',
  };
  const ownerOf = hostOwner({ ...config, apiHosts: env.SVC_API_HOSTS });
  const ingress = createIngress({
    config,
    ownerOf,
    issuer: env.OIDC_ISSUER,
    resolve: (name) => resolveRoute(ctx, name),
    authenticate: identity.authenticate,
    log,
    metrics,
    trustProxy: env.SVC_TRUST_PROXY,
    pools: open.agentPools,
    describe: ({ deployId }) => describeAgent(ctx, deployId),
    beginTask: async ({ route, actor }) => callerHeaders(ctx, beginRun(ctx, { route, actor, skill: 'task' }), route.maxRuntimeMs),
    sessions: agentSessions(ctx),
    cards: createCards(ctx, { addressOf: (name) => agentUrl(config, name), listGrpc: env.SVC_CARDS_LIST_GRPC }),
    callAgent: (call, requestId) => callAtHost({ ...ctx, actor: call.actor, requestId }, call),
  });
  listener.on(routeChannel, (agentName) => ingress.routeChanged(agentName));
  const temporal: Part = { name: 'temporal', probe: () => open.workflows.ping() };
  const app = createApp(
    contract,
    handlers,
    {
      config,
      db,
      drivers: ctx.drivers,
      clock: ctx.clock,
      authenticate: identity.authenticate,
      limits: createRateLimits(db, budgets),
      log,
      metrics,
      strict: false,
      shutdown: stopping.signal,
      parts: [databasePart(db), migrationsPart(() => pendingMigrations(db)), temporal],
      documents: wellKnown(ctx),
    },
    internal,
  );
  app.proxy = env.SVC_TRUST_PROXY;
  // Only the last address was added by our own proxy; the ones before it are the caller's word.
  app.maxIpsCount = 1;
  const reporters = {
    onRefused: (refusal: object) => log.info(refusal, 'a request could not be read'),
    onError: (error: unknown) => log.error({ err: error }, 'a request failed'),
  };
  const server = createApiServer({
    fronts: [ingress.front, ...identity.fronts(ctx), mcpRegistry(ctx)],
    upgrades: [ingress.upgrade],
    grpc: createGrpc,
    api: app.callback(),
    stopping,
    ...reporters,
  });
  const guests = createGuestListener({ ownerOf, handle: server.handle, ...reporters });
  // Before the first call: the sweep of lost calls goes by it.
  const stopHeartbeat = await startHeartbeat(db);
  const url = await server.listen(env.SVC_PORT, env.SVC_LISTEN);
  await guests.listen(guestSocket(env.SVC_STATE_DIR));
  const closeMetrics = env.SVC_METRICS_PORT === undefined ? async () => undefined : await serveMetrics(metrics, env.SVC_METRICS_PORT);
  return {
    url,
    async stop() {
      await Promise.all([server.close(), guests.close()]);
      stopHeartbeat();
      await Promise.all([open.agentPools.close(), closeMetrics(), listener.close()]);
      await Promise.all([open.workflows.close(), db.destroy()]);
    },
  };
}

/** What programs look for at the platform's own address. */
export function wellKnown(ctx: Ctx): Record<string, () => Promise<{ type: string; body: string }>> {
  return {
    [CARD_KEYS_PATH]: async () => ({ type: 'application/jwk-set+json', body: JSON.stringify(await publishedCardKeys(ctx.drivers.vault, ctx.clock())) }),
    '/.well-known/ai-catalog.json': async () => ({ type: CATALOG_TYPE, body: JSON.stringify(await aiCatalog(ctx)) }),
  };
}

function driverOptions(env: ApiEnvironment): Parameters<typeof openDrivers>[0] {
  const apiKey = env.TEMPORAL_API_KEY === undefined ? {} : { apiKey: env.TEMPORAL_API_KEY };
  return {
    stateDir: env.SVC_STATE_DIR,
    secretsDir: env.SVC_SECRETS_DIR,
    hostSocket: env.SVC_HOST_SOCKET,
    s3: s3Configuration(env),
    llmLocalHosts: env.SVC_LLM_LOCAL_HOSTS,
    temporal: { address: env.TEMPORAL_ADDRESS, namespace: env.TEMPORAL_NAMESPACE, ...apiKey },
  };
}

async function serveMetrics({ registry }: Metrics, port: number): Promise<() => Promise<void>> {
  const server = createServer((_request, response) => {
    void registry.metrics().then((text) => response.setHeader('content-type', registry.contentType).end(text));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return () => new Promise((resolve) => server.close(() => resolve()));
}

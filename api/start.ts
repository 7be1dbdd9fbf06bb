// Composition of the API process: drivers, identity, the contract's routes, the ingress, one port.
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { contract } from '#contract/index.ts';
import { insecureAddress } from '#contract/wire/secure-context.ts';
import { CARD_KEYS_PATH } from '#contract/wire/a2a-card.ts';
import { publishedCardKeys } from '#core/agents/card/keys.ts';
import { aiCatalog, CATALOG_TYPE } from '#core/public/agent/catalog.ts';
import { callAtHost } from '#core/runs/call/at-host.ts';
import { readsOn } from '#core/runs/call/continued.ts';
import { startHeartbeat } from '#core/runs/call/open-calls.ts';
import { stopDriving } from '#core/runs/durable/drive-at-once.ts';
import { beginRun, callerHeaders } from '#core/runs/run/begin.ts';
import { callingAt, identityHeaders } from '#core/runs/run/caller.ts';
import { routeOfTask } from '#core/runs/task/place.ts';
import { describeAgent } from '#core/agents/route/describe.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { routeChannel } from '#core/agents/route/changed.ts';
import { domainChannel } from '#core/agents/domain/changed.ts';
import { refuseStrangers } from '#core/accounts/control.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { resolveBoxRoute } from '#core/identity/dev-box/route.ts';
import { requireOwnKey } from '#core/platform/installation/key.ts';
import { pendingMigrations } from '#core/platform/migrations.ts';
import { hostOwner } from '#contract/wire/host-owner.ts';
import { BOX_SUFFIX } from '#contract/wire/names.ts';
import { guestSocket } from '#drivers/runtime/sockets.ts';
import { createApp } from './app.ts';
import { openContext } from './context.ts';
import type { ApiEnvironment } from './environment.ts';
import { gitFront } from './git.ts';
import { createGuestListener } from './guests.ts';
import { handlers, internal } from './handlers.ts';
import { hostAnswer } from './http/call-answer.ts';
import { dashboard } from './http/dashboard.ts';
import { databasePart, diskPart, migrationsPart, type Part } from './http/health.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import { BUDGETS, createRateLimits } from './http/rate-limit.ts';
import { onFailedLooks, rechecksOf } from './http/recheck.ts';
import { createCards } from './ingress/card.ts';
import { createGrpc } from './ingress/grpc.ts';
import { createIngress } from './ingress/ingress.ts';
import { agentSessions } from './ingress/agent-sessions.ts';
import { customDomains } from './ingress/custom-domains.ts';
import { modelGateway } from './model-gateway.ts';
import { traceExport } from './trace-export.ts';
import { createTunnels } from './tunnel.ts';
import { startMail } from './mail.ts';
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
  const { ctx, identity, open, listener, close } = await openContext(env, log);
  const { config, db } = ctx;
  await requireOwnKey(db, open.vault);
  const insecure = insecureAddress(config.baseUrl);
  if (insecure !== undefined) log.warn(insecure);
  const stopping = new AbortController();
  const metrics = createMetrics();
  const ownerOf = hostOwner(config);
  const domains = customDomains(ctx, log);
  const ingress = createIngress({
    platform: { config, issuer: env.OIDC_ISSUER },
    network: { ownerOf, domains, trustProxy: env.SVC_TRUST_PROXY },
    resolve: (name) => (name.endsWith(BOX_SUFFIX) ? resolveBoxRoute(ctx, name) : resolveRoute(ctx, name)),
    sessions: agentSessions(ctx),
    admit: {
      authenticate: identity.authenticate,
      ...(env.SVC_REQUIRE_KVM && { refuse: (actor, ownerId) => refuseStrangers(db, actor, ownerId) }),
      whileAllowed: (claim, ended) => rechecksOf(db).enter(claim, ended),
    },
    about: { describe: ({ deployId }) => describeAgent(ctx, deployId), cards: createCards(ctx, { listGrpc: env.SVC_CARDS_LIST_GRPC }) },
    call: {
      callAgent: async (call, requestId) => hostAnswer(ctx, await callAtHost({ ...ctx, actor: call.actor, requestId }, call)),
      beginTask: async ({ route, actor }) => callerHeaders(ctx, beginRun(ctx, { route, actor, skill: 'task' }), route.maxRuntimeMs),
      placeOf: (route, asked) => routeOfTask(ctx, route, readsOn(asked)),
      identify: (route, actor) => identityHeaders(ctx, callingAt(route, actor), { apiKey: route.apiKey, runId: null }),
    },
    pass: { pools: open.agentPools },
    report: { log, metrics },
  });
  onFailedLooks((error) => log.warn({ err: error }, 'open connections could not be looked at: they go on'));
  listener.on(routeChannel, (agentName) => ingress.routeChanged(agentName));
  listener.on(domainChannel, domains.changed);
  const temporal: Part = { name: 'temporal', probe: () => open.workflows.ping() };
  const limits = createRateLimits(db, budgets);
  const forPeople =
    env.SVC_DASHBOARD_DIR === undefined
      ? undefined
      : await dashboard(env.SVC_DASHBOARD_DIR, (why) => log.warn({ why }, 'a page was not rendered: the browser makes it'));
  const app = createApp(
    contract,
    handlers,
    {
      config,
      db,
      drivers: ctx.drivers,
      followers: ctx.followers,
      clock: ctx.clock,
      authenticate: identity.authenticate,
      limits,
      log,
      metrics,
      strict: false,
      shutdown: stopping.signal,
      parts: [databasePart(db), migrationsPart(() => pendingMigrations(db)), temporal, diskPart(env.SVC_STATE_DIR)],
      documents: wellKnown(ctx),
      dashboard: forPeople?.pages,
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
    fronts: [
      ingress.front,
      ...identity.fronts(ctx),
      mcpRegistry(ctx),
      gitFront(ctx, { authenticate: identity.authenticate, limits, log, stopping: stopping.signal }),
      traceExport(ctx, { log }),
      modelGateway(ctx, { log, stopping: stopping.signal }),
    ],
    upgrades: [ingress.upgrade, createTunnels({ ctx, ownerOf, log })],
    grpc: createGrpc,
    ...(env.SVC_HTTPS_PORT !== undefined && { contextOf: domains.context }),
    api: app.callback(),
    stopping,
    ...reporters,
  });
  const guests = createGuestListener({ ownerOf, handle: server.handle, ...reporters });
  // Before the first call: the sweep of lost calls goes by it.
  const stopHeartbeat = await startHeartbeat(db);
  const url = await server.listen(env.SVC_PORT, env.SVC_LISTEN);
  if (env.SVC_HTTPS_PORT !== undefined) await server.listenTls(env.SVC_HTTPS_PORT, env.SVC_LISTEN);
  const mail = await startMail(env, ctx, log);
  if (mail) log.info({ address: mail.address }, 'mail is taken');
  await guests.listen(guestSocket(env.SVC_STATE_DIR));
  const closeMetrics = env.SVC_METRICS_PORT === undefined ? async () => undefined : await serveMetrics(metrics, env.SVC_METRICS_PORT);
  return {
    url,
    async stop() {
      await Promise.all([server.close(), guests.close(), mail?.close(), forPeople?.close(), stopDriving()]);
      stopHeartbeat();
      await Promise.all([close(), closeMetrics()]);
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

async function serveMetrics({ registry }: Metrics, port: number): Promise<() => Promise<void>> {
  const server = createServer((_request, response) => {
    void registry.metrics().then((text) => response.setHeader('content-type', registry.contentType).end(text));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return () => new Promise((resolve) => server.close(() => resolve()));
}

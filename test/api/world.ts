// The whole API as it is served, strictly, with two tenants, and records of the first one for every path
// parameter.
import { clientOf, type Client } from '#contract/client.ts';
import { contract, type Contract } from '#contract/index.ts';
import { routesOf, type DeclaredRoute } from '#contract/inventory.ts';
import type { Limiter, Scope } from '#contract/kit.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { startGreeter } from '../support/greeter.ts';
import { testProcessor } from '../support/processor.ts';
import type { AccessTokens } from '#drivers/idp/access-tokens.ts';
import { LoginError } from '#drivers/idp/port.ts';
import { createApp } from '#api/app.ts';
import { modelGateway } from '#api/model-gateway.ts';
import { traceExport } from '#api/trace-export.ts';
import { gitFront } from '#api/git.ts';
import { handlers, internal } from '#api/handlers.ts';
import { createLogger } from '#api/http/log.ts';
import { BUDGETS, createRateLimits } from '#api/http/rate-limit.ts';
import { createApiServer } from '#api/server.ts';
import type { HttpMiddleware } from '#api/http/state.ts';
import { createTunnels } from '#api/tunnel.ts';
import { hostOwner } from '#contract/wire/host-owner.ts';
import { type ContextOptions, testContext, type TestContext } from '../support/context.ts';
import { momentaryRecords, withRecords } from './records.ts';
import { copyOfWorld, settle, type Who } from './settle.ts';
import type { ValidCall } from './records/area.ts';

export type { Who };

export interface World {
  url: string;
  tokens: Record<Who, string>;
  as(who?: Who): Client<Contract>;
  /**
   * Ada's records by the name of the path parameter that names them, or by `<route>.<parameter>` where a
   * route means another. A new parameter is a new line in records/<area>.ts.
   */
  records: Record<string, string>;
  /** What a valid call of a route says where its schemas alone cannot. */
  calls: Record<string, ValidCall>;
  /** What Ada sends in the headers that routes declare. */
  headers: Record<string, string>;
  logs: string[];
  ctx: TestContext['ctx'];
  databaseUrl: string;
  stateDir: string;
  close(): Promise<void>;
}

export const ROUTES: DeclaredRoute[] = routesOf(contract);

export interface WorldOptions extends ContextOptions {
  serving?: boolean;
  /** Default: no access token holds. */
  accessTokens?: AccessTokens;
  /** Default: none is served. */
  dashboard?: HttpMiddleware;
}

const NO_ISSUER: AccessTokens = { verify: () => Promise.reject(new LoginError('invalid', 'no identity provider here')) };

/**
 * With Temporal's address, decisions of people arrive; `serving`: Ada's agent answers calls, else nothing
 * listens where it does.
 */
export async function createWorld({ serving = false, accessTokens = NO_ISSUER, dashboard, ...options }: WorldOptions = {}): Promise<World> {
  // Of a database or a folder that is given, no copy can be taken.
  const copied = options.databaseUrl === undefined && options.folder === undefined ? await copyOfWorld(serving) : undefined;
  const it = await testContext({ ...options, ...copied?.options });
  const { ctx } = it;
  ctx.drivers.payments ??= testProcessor().payments;
  const { ada, agent, lasting, tokens } = copied?.people ?? (await settle(it, serving));
  // A copy may be minutes old, and a server for databases counts as failing a minute after its last
  // heartbeat.
  if (copied) await ctx.db('database_provisioners').update({ heartbeat_at: new Date(ctx.clock()) });
  const { records, calls, grant } = withRecords(lasting, await momentaryRecords(ctx, ada, agent));
  const greeter = 'instanceId' in agent ? await startGreeter(ctx, agent) : undefined;

  const logs: string[] = [];
  const stopping = new AbortController();
  const many = Object.fromEntries(Object.keys(BUDGETS).map((limiter) => [limiter, { points: 100_000, seconds: 60 }])) as Record<
    Limiter,
    { points: number; seconds: number }
  >;
  const limits = createRateLimits(ctx.db, many);
  const log = createLogger('info', { write: (line: string) => void logs.push(line) });
  const authenticate = createAuthenticator({ db: ctx.db, vault: ctx.drivers.vault, clock: ctx.clock, accessTokens });
  const app = createApp(contract, handlers, { ...ctx, strict: true, shutdown: stopping.signal, limits, log, authenticate, dashboard }, internal);
  const fronts = [
    gitFront(ctx, { authenticate, limits, log, stopping: stopping.signal }),
    modelGateway(ctx, { log, stopping: stopping.signal }),
    traceExport(ctx, { log }),
  ];
  const upgrades = [createTunnels({ ctx, ownerOf: hostOwner(ctx.config), log })];
  const server = createApiServer({ fronts, api: app.callback(), upgrades, stopping, graceMs: 2_000 });
  const url = await server.listen(0, '127.0.0.1');
  return {
    url,
    tokens: { ...tokens },
    records,
    calls,
    headers: { 'svc-grant': grant },
    logs,
    ctx,
    databaseUrl: it.databaseUrl,
    stateDir: it.stateDir,
    as: (who) => clientOf(contract, { baseUrl: url, token: who && tokens[who] }),
    close: async () => {
      await server.close();
      await greeter?.stop();
      await it.close();
      await copied?.end();
    },
  };
}

/** Routes without authentication. */
export const open = (scope: Scope): boolean => scope === 'none' || scope === 'public';

/** Who may call a route of this scope, and has the records. */
export function callerFor(scope: Scope): Who | undefined {
  if (open(scope)) return undefined;
  return scope === 'operator' || scope === 'platform' || scope === 'scim' ? scope : 'ada';
}

// The whole API as it is served, strictly, with two tenants, and records of the first one for every path parameter.
import { clientOf, type Client } from '#contract/client.ts';
import { contract, type Contract } from '#contract/index.ts';
import { routesOf, type DeclaredRoute } from '#contract/inventory.ts';
import type { Limiter, Scope } from '#contract/kit.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { serveGreeter } from '../support/greeter.ts';
import { testProcessor } from '../support/processor.ts';
import { addAgent } from '../support/verbs.ts';
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
import { scimTokenOf } from '../support/scim.ts';
import { recordsOf } from './records.ts';
import type { ValidCall } from './records/area.ts';

export type Who = 'ada' | 'ben' | 'operator' | 'platform' | 'agent' | 'scim';

export interface World {
  url: string;
  tokens: Record<Who, string>;
  as(who?: Who): Client<Contract>;
  /** Ada's records by the name of the path parameter that names them, or by `<route>.<parameter>` where a route means another. A new parameter is a new line in records/<area>.ts. */
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

/** With Temporal's address, decisions of people arrive; `serving`: Ada's agent answers calls, else nothing listens where it does. */
export async function createWorld({ serving = false, accessTokens = NO_ISSUER, dashboard, ...options }: WorldOptions = {}): Promise<World> {
  const it = await testContext(options);
  const { ctx } = it;
  ctx.drivers.payments ??= testProcessor().payments;
  const [ada, ben, operator] = [await it.user('ada'), await it.user('ben'), await it.user('operator')];
  await ctx.db('users').where({ user_id: operator.actor.user_id }).update({ operator: true });
  const greeter = serving ? await serveGreeter(ctx, ada.actor.user_id) : undefined;
  const { id, name } = greeter?.agent ?? (await addAgent(ctx.db, ada.actor.user_id, { live: true }));
  const { records, calls, grant } = await recordsOf(ctx, ada.actor.user_id, { id, name });
  const tokens: Record<Who, string> = {
    ada: await token(ctx, 'user', ada.actor.user_id),
    ben: await token(ctx, 'user', ben.actor.user_id),
    operator: await token(ctx, 'user', operator.actor.user_id),
    platform: await token(ctx, 'platform', null),
    agent: await token(ctx, 'agent_api', ada.actor.user_id, id),
    scim: await scimTokenOf(ctx.db, records),
  };

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
    tokens,
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
    },
  };
}

async function token({ db }: World['ctx'], kind: 'user' | 'platform' | 'agent_api', user_id: string | null, agent_id: string | null = null): Promise<string> {
  const made = newPlatformToken();
  await db('platform_tokens').insert({ token_id: newId('tok'), token_hash: hashSecret(made), kind, user_id, agent_id, label: 'test' });
  return made;
}

/** Routes without authentication. */
export const open = (scope: Scope): boolean => scope === 'none' || scope === 'public';

/** Who may call a route of this scope, and has the records. */
export function callerFor(scope: Scope): Who | undefined {
  if (open(scope)) return undefined;
  return scope === 'operator' || scope === 'platform' || scope === 'scim' ? scope : 'ada';
}

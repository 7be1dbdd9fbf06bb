// The auth group with the real identity provider on one port, as api/main.ts puts them together.
import { clientOf } from '#contract/client.ts';
import { auth } from '#contract/identity/auth.ts';
import type { Limiter } from '#contract/kit.ts';
import { WEB_CLIENT_ID } from '#contract/identity/oauth.ts';
import { followers } from '#core/followers.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Drivers } from '#core/kernel/drivers.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import { createPool } from '#db/pool.ts';
import { createAccessTokens } from '#drivers/idp/access-tokens.ts';
import { createLoginProvider } from '#drivers/idp/login.ts';
import { startTestIdp } from '#drivers/idp/test/idp.ts';
import { testDatabase } from '#test/support/servers.ts';
import { createApp } from '../../../app.ts';
import type { Authenticate } from '../../../http/deps.ts';
import { createLogger } from '../../../http/log.ts';
import { BUDGETS, createRateLimits } from '../../../http/rate-limit.ts';
import type { Front } from '../../../server.ts';
import { authRoutes } from '../auth.ts';
import type { ClientDocumentOptions } from '#drivers/idp/client-documents.ts';
import { platformResource } from '../platform-resource.ts';
import { confirmPage } from '../confirm-page.ts';
import { consentPages } from '../consent-page.ts';

/** Where each browser test stops: a path of ours that nothing serves. */
export const DONE = '/done';

/** `frontOf`: what hears each request before the API does. `certificate`: it speaks TLS. */
export async function serveAuth(
  frontOf?: (ctx: Ctx, authenticate: Authenticate, issuer: string) => Front,
  clients?: ClientDocumentOptions,
  certificate?: { key: string; cert: string },
) {
  const db = createPool({ connectionString: (await testDatabase()).url, max: 10 });
  const it = await startTestIdp(db, clients, undefined, undefined, certificate);
  const { baseUrl, idp, vault } = it;
  const skew = { ms: 0 };
  const clock = () => Date.now() + skew.ms;
  const config = { baseUrl, agentsDomain: new URL(baseUrl).host };
  const login = createLoginProvider({
    issuer: idp.issuer,
    clientId: WEB_CLIENT_ID,
    clientSecret: idp.webClientSecret,
    redirectUri: `${baseUrl}/v1/auth/oidc/callback`,
    homeUri: `${baseUrl}/`,
    endSessions: idp.endSessions,
  });
  const drivers = partialDrivers({ vault, login });
  const accessTokens = createAccessTokens({ issuer: idp.issuer, audience: baseUrl, jwks: idp.jwks, clock });
  const many = Object.fromEntries(Object.keys(BUDGETS).map((name) => [name, { points: 10_000, seconds: 60 }])) as Record<
    Limiter,
    { points: number; seconds: number }
  >;
  const authenticate = createAuthenticator({ db, accessTokens, vault, clock });
  const lines: string[] = [];
  const log = createLogger('info', { write: (line: string) => void lines.push(line) });
  const stopping = new AbortController();
  const app = createApp(
    { auth },
    { auth: authRoutes },
    {
      config,
      db,
      drivers,
      followers,
      clock,
      log,
      strict: true,
      shutdown: stopping.signal,
      authenticate,
      limits: createRateLimits(db, many),
    },
  );
  const ctx: Ctx = { actor: { kind: 'anonymous' }, config, db, drivers, followers, clock, requestId: 'req_test' };
  const fronts = [platformResource({ resource: baseUrl, issuer: idp.issuer }), confirmPage(ctx), consentPages(ctx, authenticate)];
  const api = app.callback();
  const front = frontOf?.(ctx, authenticate, idp.issuer) ?? (() => false);
  it.serve((request, response) => void (front(request, response) || fronts.some((one) => one(request, response)) || api(request, response)));
  return {
    ...it,
    db,
    ctx,
    lines,
    drivers,
    /** Moves the clock of everything but the database and the provider. */
    later: (ms: number) => {
      skew.ms += ms;
    },
    as: (token?: string) => clientOf({ auth }, { baseUrl, token }),
    async close() {
      stopping.abort();
      await it.close();
      await db.destroy();
    },
  };
}

// Safe: the auth group uses these two drivers only.
function partialDrivers(some: Pick<Drivers, 'vault' | 'login'>): Drivers {
  return some as Drivers;
}

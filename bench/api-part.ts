// The API as a benchmark serves it: every route, not strict, one signed-in account, no parts but the
// database.
import type { Knex } from 'knex';
import type { Limiter } from '#contract/kit.ts';
import { contract } from '#contract/index.ts';
import { createAuthenticator } from '#core/identity/authenticate.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { testCtx } from '#test/support/verbs.ts';
import { createPool } from '#db/pool.ts';
import { createApp } from '#api/app.ts';
import { handlers } from '#api/handlers.ts';
import { createLogger } from '#api/http/log.ts';
import { BUDGETS, createRateLimits, type Budget } from '#api/http/rate-limit.ts';
import { createApiServer } from '#api/server.ts';

export const ACCOUNT = { user_id: 'usr_bench', issuer: 'bench', subject: 'ada', email: 'ada@svc.local' };
export const BEARER = 'Bearer bench.bench.bench';
export const POOL = 10;

export async function serveApi(connectionString: string, account = ACCOUNT): Promise<string> {
  return serveApiOn(createPool({ connectionString, max: POOL }), undefined, account);
}

export async function serveApiOn(db: Knex, stopping = new AbortController(), account = ACCOUNT): Promise<string> {
  return serveContext(testCtx(db, { actor: { kind: 'anonymous' } }), stopping, account);
}

/** With the drivers of `ctx`. */
export async function serveContext(ctx: Ctx, stopping: AbortController, account = ACCOUNT): Promise<string> {
  const { db } = ctx;
  const unlimited = Object.fromEntries(Object.keys(BUDGETS).map((name) => [name, { points: 1e9, seconds: 60 }])) as Record<Limiter, Budget>;
  // Checked once, then believed until it expires, as every access token is.
  const accessTokens = { verify: async () => ({ ...account, operator: true, name: null, expiresAt: Date.now() + 3_600_000 }) };
  const app = createApp(contract, handlers, {
    ...ctx,
    authenticate: createAuthenticator({ db, accessTokens, clock: Date.now }),
    limits: createRateLimits(db, unlimited),
    log: createLogger('info', { write: () => undefined }),
    strict: false,
    shutdown: stopping.signal,
  });
  return createApiServer({ api: app.callback(), stopping }).listen(0, '127.0.0.1');
}

import type { z } from 'zod';
import { contract } from '#contract/index.ts';
import { routesOf } from '#contract/inventory.ts';
import { MAX_SERVICE_TOKENS, type ServiceTokenIn, type ServiceTokenOut } from '#contract/platform/service-tokens.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { newPlatformToken } from '../../identity/secret.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { act, done } from '../../kernel/act.ts';
import { requireAccount } from '../control-policy/read.ts';

/**
 * The account answers for the service: a suspended account's tokens open nothing. @throws NotFound
 * user_not_found, Invalid, Conflict token_limit_reached
 */
export async function createServiceToken(
  ctx: Ctx,
  { user_id, ...i }: { user_id: string } & z.output<typeof ServiceTokenIn>,
): Promise<z.infer<typeof ServiceTokenOut>> {
  return act(ctx, 'service_token.create', requireOperator, async (ctx) => {
    requirePlatformRoutes(i.routes);
    // Locked: tokens that are made at the same time are counted one after the other.
    await requireAccount(ctx.db, user_id, true);
    const now = ctx.clock();
    const open = await ctx
      .db('platform_tokens')
      .where({ user_id, kind: 'platform' })
      .whereNull('revoked_at')
      .where('expires_at', '>', new Date(now))
      .select('token_id');
    if (open.length >= MAX_SERVICE_TOKENS)
      throw new Conflict('token_limit_reached', `This account has ${open.length} open service tokens, the most it can have: wait until one has expired`);
    const token = newPlatformToken();
    const token_id = newId('tok', now);
    const routes = [...new Set(i.routes)];
    const [created, expires] = [new Date(now), new Date(now + i.expires_in_seconds * 1000)];
    await ctx.db('platform_tokens').insert({
      token_id,
      token_hash: hashSecret(token),
      kind: 'platform',
      user_id,
      label: i.service,
      routes,
      created_at: created,
      expires_at: expires,
    });
    const [created_at, expires_at] = [created.toISOString(), expires.toISOString()];
    const answer = { token_id, user_id, service: i.service, routes, created_at, expires_at, token };
    return done({ service_token: token_id }, { user_id, service: i.service, routes, expires_at }, answer);
  });
}

function requirePlatformRoutes(routes: readonly string[]): void {
  const known = new Set(routesOf(contract).flatMap(({ spec }) => (spec.scope === 'platform' ? [spec.at as string] : [])));
  const issues = routes.flatMap((route, n) =>
    known.has(route) ? [] : [{ path: ['body', 'routes', n], message: `is not a route of scope platform: there are ${[...known].join(', ')}` }],
  );
  if (issues.length > 0) throw new Invalid(issues);
}

import type { Ctx } from '../../kernel/ctx.ts';
import { presentUser } from '../user/present.ts';
import { findSession } from './find.ts';

/** The signed-in user, if there is one. `cookie`: the browser's session token, which counts only when no bearer token was sent. */
export async function currentSession(ctx: Ctx, cookie: string | undefined) {
  const { actor } = ctx;
  if (actor.kind !== 'user') return { authenticated: false, user: null, expires_at: null };
  const session = actor.via === 'session' && cookie !== undefined ? await findSession(ctx.db, cookie, ctx.clock()) : undefined;
  const user = session?.user ?? (await ctx.db('users').where({ user_id: actor.user_id }).first());
  if (!user) return { authenticated: false, user: null, expires_at: null };
  return { authenticated: true, user: presentUser(user), expires_at: session?.expiresAt.toISOString() ?? null };
}

import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { actsOnlyFor, isOperator } from '../user/get.ts';
import { presentUser } from '../user/present.ts';
import { findSession } from './find.ts';

/**
 * The signed-in user, if there is one. `cookie`: the browser's session token, which counts only when no
 * bearer token was sent.
 */
export async function currentSession(ctx: Ctx, cookie: string | undefined) {
  const { actor } = ctx;
  const nobody = { authenticated: false, user: null, expires_at: null, acts_only_for: null };
  if (actor.kind !== 'user') return nobody;
  const session = actor.via === 'session' && cookie !== undefined ? await findSession(ctx.db, cookie, ctx.clock()) : undefined;
  const row =
    session?.user ??
    (await ctx
      .db('users')
      .where({ user_id: personOf(actor) })
      .first());
  if (!row) return nobody;
  const user = presentUser({ ...row, operator: row.operator && isOperator(actor) });
  return { authenticated: true, user, expires_at: session?.expiresAt.toISOString() ?? null, acts_only_for: await actsOnlyFor(ctx.db, actor) };
}

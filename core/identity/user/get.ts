import type { Ctx } from '../../ctx.ts';
import { requireUser } from '../../actors.ts';
import { Unauthorized } from '../../errors.ts';
import { presentUser } from './present.ts';

/** The caller. */
export async function getMe(ctx: Ctx): Promise<ReturnType<typeof presentUser>> {
  const row = await ctx
    .db('users')
    .where({ user_id: requireUser(ctx).user_id })
    .first();
  if (!row) throw new Unauthorized('user_gone', 'this account no longer exists: sign in again');
  return presentUser(row);
}

import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { Unauthorized } from '../../kernel/errors.ts';
import { presentUser } from './present.ts';

/** The caller; by an agent's session its person, whose rights as an operator are none of the agent's business. */
export async function getMe(ctx: Ctx): Promise<ReturnType<typeof presentUser>> {
  const { actor } = ctx;
  const byAgent = actor.kind === 'agent_session';
  const { user_id } = byAgent ? actor : requireUser(ctx, 'user.read');
  const row = await ctx.db('users').where({ user_id }).first();
  if (!row) throw new Unauthorized('user_gone', 'this account no longer exists: sign in again');
  return presentUser(byAgent ? { ...row, operator: false } : row);
}

import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { agentNamed } from '../agent/find.ts';

export async function withdrawCallerScopes(ctx: Ctx, i: { name: string; account_id: string }): Promise<void> {
  await act(ctx, 'caller_scopes.withdraw', agentNamed(i.name), async (ctx, { agent_id }) => {
    const gone = await ctx.db('caller_scopes').where({ agent_id, user_id: i.account_id }).delete();
    if (gone === 0) throw new NotFound('caller_scopes_not_found', `${i.name} has given no scopes to ${i.account_id}: list its caller scopes`);
    return done({ agent: agent_id }, { account_id: i.account_id });
  });
}

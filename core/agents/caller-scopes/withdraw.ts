import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { inTx } from '../../kernel/tx.ts';
import { agentFor } from '../agent/find.ts';

export async function withdrawCallerScopes(ctx: Ctx, i: { name: string; account_id: string }): Promise<void> {
  await inTx(ctx, async (ctx) => {
    const { agent_id } = await agentFor(ctx.db, ctx.actor, 'caller_scopes.withdraw', i.name);
    const gone = await ctx.db('caller_scopes').where({ agent_id, user_id: i.account_id }).delete();
    if (gone === 0) throw new NotFound('caller_scopes_not_found', `${i.name} has given no scopes to ${i.account_id}: list its caller scopes`);
    await audit(ctx, 'caller_scopes.withdraw', { agent: agent_id }, { account_id: i.account_id });
  });
}

import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { inTx } from '../../kernel/tx.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { routeChanged } from '../../agents/route/changed.ts';

export async function disconnectAuth(ctx: Ctx, i: { name: string; connection_id: number }): Promise<void> {
  await inTx(ctx, async (ctx) => {
    const { agent_id } = await agentFor(ctx.db, ctx.actor, 'agent_auth.disconnect', i.name);
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const gone = await ctx.db('agent_connections').where({ agent_id, connection_id: i.connection_id }).delete();
    if (gone === 0) throw new NotFound('connection_not_found', `${i.name} has no auth connection ${i.connection_id}: svc auth status ${i.name}`);
    await audit(ctx, 'agent_auth.disconnect', { agent: agent_id }, { connection_id: i.connection_id });
    await routeChanged(ctx.db, i.name);
  });
}

import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { agentNamed } from '../../agents/agent/find.ts';
import { routeChanged } from '../../agents/route/changed.ts';

export async function disconnectAuth(ctx: Ctx, i: { name: string; connection_id: number }): Promise<void> {
  await act(ctx, 'agent_auth.disconnect', agentNamed(i.name), async (ctx, { agent_id }) => {
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const gone = await ctx.db('agent_connections').where({ agent_id, connection_id: i.connection_id }).delete();
    if (gone === 0) throw new NotFound('connection_not_found', `${i.name} has no auth connection ${i.connection_id}: svc auth status ${i.name}`);
    await routeChanged(ctx.db, i.name);
    return done({ agent: agent_id }, { connection_id: i.connection_id });
  });
}

import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { inTx } from '../../kernel/tx.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { routeChanged } from '../../agents/route/changed.ts';

export async function disconnectAuth(ctx: Ctx, i: { name: string; connection_id: number }): Promise<void> {
  await inTx(ctx, async (tx, inner) => {
    const { agent_id } = await agentFor(tx, ctx.actor, 'agent_auth.disconnect', i.name);
    await tx('agents').where({ agent_id }).forUpdate().first('agent_id');
    const gone = await tx('agent_connections').where({ agent_id, connection_id: i.connection_id }).delete();
    if (gone === 0) throw new NotFound('connection_not_found', `${i.name} has no auth connection ${i.connection_id}: svc auth status ${i.name}`);
    await audit(tx, inner, 'agent_auth.disconnect', agent_id, { connection_id: i.connection_id });
    await routeChanged(tx, i.name);
  });
}

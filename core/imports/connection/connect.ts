import type { z } from 'zod';
import type { AgentAuthConnectionOut, AgentAuthIn } from '#contract/imports/agent-auth.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { requireImport } from '../../agents/agent/imported.ts';
import { remoteOf } from '../../agents/agent/imported.ts';
import { routeChanged } from '../../agents/route/changed.ts';
import { checkCredential } from './check.ts';
import { presentConnection } from './present.ts';
import { storeConnection } from './store.ts';

/**
 * @throws Conflict agent_not_imported; BadRequest connection_invalid, remote_address_refused; Forbidden
 * connection_limit
 */
export async function connectAuth(ctx: Ctx, name: string, i: AgentAuthIn): Promise<z.infer<typeof AgentAuthConnectionOut>> {
  return inTx(ctx, async (ctx) => {
    const { agent_id } = await agentFor(ctx.db, ctx.actor, 'agent_auth.connect', name);
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const imported = await requireImport(ctx.db, { agent_id, name });
    const expiresAt = checkCredential(ctx, i);
    const row = await storeConnection(ctx, agent_id, i, { requirements: remoteOf(imported).security, expiresAt });
    await audit(ctx, 'agent_auth.connect', { agent: agent_id }, { connection_id: row.connection_id, kind: i.kind, scheme_name: row.scheme_name });
    // Perhaps it answers now.
    await ctx
      .db('agent_imports')
      .where({ agent_id })
      .whereNotNull('unanswered_since')
      .update({ next_probe_at: ctx.db.raw('now()') });
    await routeChanged(ctx.db, name);
    return presentConnection(row);
  });
}

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

/** @throws Conflict agent_not_imported; BadRequest connection_invalid, remote_address_refused; Forbidden connection_limit */
export async function connectAuth(ctx: Ctx, name: string, i: AgentAuthIn): Promise<z.infer<typeof AgentAuthConnectionOut>> {
  return inTx(ctx, async (tx, inner) => {
    const { agent_id } = await agentFor(tx, ctx.actor, 'agent_auth.connect', name);
    await tx('agents').where({ agent_id }).forUpdate().first('agent_id');
    const imported = await requireImport(tx, { agent_id, name });
    const expiresAt = checkCredential(ctx, i);
    const row = await storeConnection(tx, ctx, agent_id, i, { requirements: remoteOf(imported).security, expiresAt });
    await audit(tx, inner, 'agent_auth.connect', agent_id, { connection_id: row.connection_id, kind: i.kind, scheme_name: row.scheme_name });
    // Perhaps it answers now.
    await tx('agent_imports')
      .where({ agent_id })
      .whereNotNull('unanswered_since')
      .update({ next_probe_at: tx.raw('now()') });
    await routeChanged(tx, name);
    return presentConnection(row);
  });
}

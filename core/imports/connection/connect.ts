import type { z } from 'zod';
import type { AgentAuthConnectionOut, AgentAuthIn } from '#contract/imports/agent-auth.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { agentNamed } from '../../agents/agent/find.ts';
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
  return act(ctx, 'agent_auth.connect', agentNamed(name), async (ctx, { agent_id }) => {
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const imported = await requireImport(ctx.db, { agent_id, name });
    const expiresAt = checkCredential(ctx, i);
    const row = await storeConnection(ctx, agent_id, i, { requirements: remoteOf(imported).security, expiresAt });
    // Perhaps it answers now.
    await ctx
      .db('agent_imports')
      .where({ agent_id })
      .whereNotNull('unanswered_since')
      .update({ next_probe_at: ctx.db.raw('now()') });
    await routeChanged(ctx.db, name);
    const { connection_id, scheme_name } = row;
    return done({ agent: agent_id }, { connection_id, kind: i.kind, scheme_name }, presentConnection(row));
  });
}

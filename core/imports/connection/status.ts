import type { z } from 'zod';
import type { AgentAuthOut } from '#contract/imports/agent-auth.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { remoteOf } from '../../agents/agent/imported.ts';
import { presentConnection, connectionColumns } from './present.ts';

/** What its card asks, and what is configured for it; an agent that runs here asks and has nothing. */
export async function authStatus(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentAuthOut>> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'agent_auth.read', i.name);
  const imported = await ctx.db('agent_imports').where({ agent_id }).first('remote');
  const rows = await ctx
    .db('agent_connections')
    .where({ agent_id })
    .orderBy('connection_id')
    .select(...connectionColumns);
  const requirements = imported ? remoteOf(imported).security : [];
  return {
    requirements: requirements.map((one) => ({ ...one, configured: rows.some(({ scheme_name }) => scheme_name === one.scheme_name) })),
    connections: rows.map(presentConnection),
  };
}

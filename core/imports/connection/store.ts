// One connection of one scheme, in place of the one before.
import { type AgentAuthIn, MAX_CONNECTIONS } from '#contract/imports/agent-auth.ts';
import type { AgentConnectionsRow } from '#db/tables.ts';
import type { Requirement } from '#drivers/remote-agent/port.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { connectionContext } from './context.ts';
import { splitAuth } from './model.ts';

/** In the caller's transaction, which holds the agent's row. @throws Forbidden connection_limit */
export async function storeConnection(
  ctx: Pick<TxCtx, 'drivers' | 'db'>,
  agentId: string,
  i: AgentAuthIn,
  { requirements, expiresAt }: { requirements: readonly Requirement[]; expiresAt: Date | null },
): Promise<AgentConnectionsRow> {
  const scheme_name = i.scheme_name ?? requirements.find(({ kind }) => kind === i.kind)?.scheme_name ?? i.kind;
  const before = await ctx.db('agent_connections').where({ agent_id: agentId, scheme_name }).first('version');
  if (!before) {
    const [{ count } = { count: 0 }] = await ctx.db('agent_connections').where({ agent_id: agentId }).count<{ count: number }[]>('* as count');
    if (count >= MAX_CONNECTIONS) throw new Forbidden('connection_limit', `An agent has at most ${MAX_CONNECTIONS} auth connections: delete some first`);
  }
  const version = (before?.version ?? 0) + 1;
  const { facts, sealed } = splitAuth(i);
  const values = {
    kind: i.kind,
    state: 'ready' as const,
    facts: JSON.stringify(facts),
    sealed: await ctx.drivers.vault.seal(Buffer.from(JSON.stringify(sealed)), connectionContext({ agent_id: agentId, scheme_name, version })),
    version,
    expires_at: expiresAt,
    failure: null,
    refreshed_at: null,
    // A refresh that is under way was of other tokens: what it brings is not stored.
    refresher: null,
    refresher_until: null,
  };
  const [row] = await ctx
    .db('agent_connections')
    .insert({ agent_id: agentId, scheme_name, ...values })
    .onConflict(['agent_id', 'scheme_name'])
    .merge({ ...values, updated_at: ctx.db.raw('now()') })
    .returning('*');
  if (!row) throw new Error('the connection was not stored');
  return row;
}

import { CORE_PROTOCOL } from '#contract/studio/protocol-simulations.ts';
import type { TxCtx } from '../../../kernel/ctx.ts';
import { CORE_SUITE } from '../scenarios/index.ts';
import { insertEntry } from './add.ts';

/**
 * The product's own suite is in the registry of every agent that was ever rehearsed. Who wrote it changes
 * nothing: the owner reviews and enables it too.
 */
export async function ensureCoreEntry(ctx: TxCtx, { agentId, name }: { agentId: string; name: string }): Promise<void> {
  const { id: protocol_id, version, display_name } = CORE_PROTOCOL;
  const known = await ctx.db('protocol_entries').where({ agent_id: agentId, protocol_id, version }).first('entry_id');
  if (!known) await insertEntry(ctx, { agentId, agent: name, protocol_id, version, display_name, risk_class: 'medium', suite: CORE_SUITE, by: null });
}

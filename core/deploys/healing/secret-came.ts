import type { TxCtx } from '../../kernel/ctx.ts';
import { signalWorkflow } from '../../outbox/messages.ts';

/** A repair that waits for a secret looks again. In the transaction that sets one. */
export async function secretCame(ctx: TxCtx, agentId: string): Promise<void> {
  const open = await ctx.db('agent_repairs').where({ agent_id: agentId, state: 'awaiting_secret' }).first('repair_id');
  if (open) await signalWorkflow(ctx, `heal:${open.repair_id}`, 'secretSet');
}

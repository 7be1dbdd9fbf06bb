import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { signalWorkflow } from '../../outbox/messages.ts';

/** A repair that waits for a secret looks again. In the transaction that sets one. */
export async function secretCame(tx: Knex.Transaction, ctx: Ctx, agentId: string): Promise<void> {
  const open = await tx('agent_repairs').where({ agent_id: agentId, state: 'awaiting_secret' }).first('repair_id');
  if (open) await signalWorkflow(tx, ctx, `heal:${open.repair_id}`, 'secretSet');
}

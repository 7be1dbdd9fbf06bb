import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { cancelWorkflow } from '../../outbox/messages.ts';

/** Of an agent that is deleted. */
export async function cancelDeploymentsOf(ctx: TxCtx, { agent_id }: { agent_id: string }): Promise<void> {
  const open = await ctx.db('deployments').where({ agent_id }).whereIn('state', OPEN_DEPLOYMENT_STATES).select('deploy_id');
  for (const { deploy_id } of open) await cancelWorkflow(ctx, `deploy:${deploy_id}`);
}

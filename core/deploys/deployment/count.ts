import type { Knex } from 'knex';
import { Conflict } from '../../kernel/errors.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';

/**
 * The number of one more deployment, which begins only where none is under way. Holds the agent's row.
 * @throws Conflict agent_deleted, deployment_under_way
 */
export async function countDeployment(tx: Knex.Transaction, agentId: string, name: string): Promise<{ id: string; name: string; number: number }> {
  const [agent] = await tx('agents')
    .where({ agent_id: agentId })
    .whereNull('deleted_at')
    .update({ deploy_count: tx.raw('deploy_count + 1'), updated_at: tx.raw('now()') })
    .returning(['name', 'deploy_count']);
  if (!agent) throw new Conflict('agent_deleted', `${name} was deleted at this moment: deploy it again to bring it back`);
  const open = await tx('deployments').where({ agent_id: agentId }).whereIn('state', OPEN_DEPLOYMENT_STATES).first('number');
  if (open) throw new Conflict('deployment_under_way', `Deployment ${open.number} is under way: try again once it has ended`);
  return { id: agentId, name: agent.name, number: agent.deploy_count };
}

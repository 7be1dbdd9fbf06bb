// The live deployment once more: same source, same image, another instance, which starts with what is set
// now.
import type { Knex } from 'knex';
import type { TxCtx, UserActor } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { queueAgain } from './again.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';

/**
 * In the caller's transaction, which holds the agent's row. Undefined: nothing is live, so there is nothing
 * to restart. @throws Conflict deployment_under_way
 */
export async function restartLive(ctx: TxCtx, user: Pick<UserActor, 'user_id'>, agentId: string): Promise<{ deploy_id: string; job_id: string } | undefined> {
  const tx: Knex.Transaction = ctx.db;
  const open = await tx('deployments').where({ agent_id: agentId }).whereIn('state', OPEN_DEPLOYMENT_STATES).first('number');
  if (open) {
    const message = `Deployment ${open.number} is under way: leave restart out, or try again once it is live`;
    throw new Conflict('deployment_under_way', message);
  }
  const live = await tx('deployments').where({ agent_id: agentId, state: 'live' }).first();
  if (!live?.image) return undefined;
  const [agent] = await tx('agents')
    .where({ agent_id: agentId, live_deploy_id: live.deploy_id })
    .whereNull('deleted_at')
    .update({ deploy_count: tx.raw('deploy_count + 1'), updated_at: tx.raw('now()') })
    .returning(['name', 'deploy_count']);
  if (!agent) return undefined;
  return queueAgain(ctx, user, {
    agent: { id: agentId, name: agent.name, number: agent.deploy_count },
    of: live,
    built: true,
    title: 'Restart',
    input: { restart_of: live.deploy_id },
    action: 'agent.restart',
  });
}

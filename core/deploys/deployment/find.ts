import type { Knex } from 'knex';
import type { DeploymentsRow } from '#db/tables.ts';
import type { Actor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import type { Action } from '../../kernel/policy.ts';
import { agentFor } from '../../agents/agent/find.ts';

/**
 * Those who may see an agent do not see its deployments: sources, logs and failures are in them. @throws
 * NotFound agent_not_found, deployment_not_found
 */
export async function deploymentFor(db: Knex, actor: Actor, action: Action, i: { name: string; deploy_id: string }): Promise<DeploymentsRow> {
  const agent = await agentFor(db, actor, action, i.name);
  const row = await db('deployments').where({ agent_id: agent.agent_id, deploy_id: i.deploy_id }).first();
  if (!row) throw new NotFound('deployment_not_found', `${i.name} has no deployment ${i.deploy_id}`);
  return row;
}

import type { Knex } from 'knex';
import type { DeploymentsRow } from '#db/tables.ts';
import type { UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { ownedAgent } from '../agent/find.ts';

/** Deployments are their owner's to see: sources, logs and failures are in them. */
export async function ownedDeployment(db: Knex, user: UserActor, i: { name: string; deploy_id: string }): Promise<DeploymentsRow> {
  const agent = await ownedAgent(db, user, i.name);
  const row = await db('deployments').where({ agent_id: agent.agent_id, deploy_id: i.deploy_id }).first();
  if (!row) throw new NotFound('deployment_not_found', `${i.name} has no deployment ${i.deploy_id}`);
  return row;
}

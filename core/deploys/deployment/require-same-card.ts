import type { DeploymentsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storableJson } from '../../kernel/storable.ts';
import { DeploymentFault } from '../../agents/agent/deployment-fault.ts';
import { cardDifferences } from './same-card.ts';

/**
 * Before the route switches: an agent that was rebuilt on another runtime is the same to its callers. @throws
 * DeploymentFault card_changed
 */
export async function requireSameCard({ db }: Ctx, row: Pick<DeploymentsRow, 'deploy_id' | 'upgrade_of' | 'upgrade_kind'>, card: unknown): Promise<void> {
  if (row.upgrade_kind !== 'runtime' || row.upgrade_of === null) return;
  const before = await db('deployments').where({ deploy_id: row.upgrade_of }).first('card');
  const differences = cardDifferences(before?.card, card);
  await db('deployments')
    .where({ deploy_id: row.deploy_id })
    .update({ differences: storableJson(differences) });
  if (differences.length === 0) return;
  const message = `On the new runtime the agent is not the same: ${differences.join('; ')}. The version before serves on; deploy the source to take the change`;
  throw new DeploymentFault('card_changed', message.slice(0, 2_000));
}

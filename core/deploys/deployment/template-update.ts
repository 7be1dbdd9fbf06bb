import type { Knex } from 'knex';

/** The deployment of an update has gone live, or has not. In the transaction that says so. */
export async function endTemplateUpdate(tx: Knex.Transaction, deployId: string, state: 'applied' | 'rejected'): Promise<void> {
  await tx('template_updates')
    .where({ deploy_id: deployId, state: 'approved' })
    .update({ state, ended_at: tx.raw('now()') });
}

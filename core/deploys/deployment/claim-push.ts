import type { Knex } from 'knex';

/** The push waits for no deployment any more. False: it did not. */
export async function endPush(db: Knex, agent_id: string, commit_id: string): Promise<boolean> {
  return (await db('source_pushes').where({ agent_id, commit_id }).delete()) > 0;
}

/**
 * In the transaction that queues the deployment, which holds the agent's row: of a push and of housekeeping,
 * the first to come here queues it. The deployment that the other has queued; undefined: it is yours to
 * queue.
 */
export async function claimPush(tx: Knex, agent_id: string, commit_id: string): Promise<string | undefined> {
  if (await endPush(tx, agent_id, commit_id)) return undefined;
  return (await tx('deployments').where({ agent_id, source_commit: commit_id }).orderBy('number', 'desc').first('deploy_id'))?.deploy_id;
}

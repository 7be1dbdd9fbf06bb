import type { Knex } from 'knex';

/** NOTIFY channel on which ingresses hear that an agent's route is stale; the payload is its name. */
export const routeChannel = 'svc_routes';

/** Takes effect with the transaction. */
export async function routeChanged(tx: Knex, agentName: string): Promise<void> {
  await tx.raw('select pg_notify(?, ?)', [routeChannel, agentName]);
}

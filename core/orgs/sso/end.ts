import type { Knex } from 'knex';
import type { SsoConnectionsRow } from '#db/tables.ts';
import { endOpenings } from '../member/end-openings.ts';
import { endSessions } from '../member/end-sso.ts';

/** The connection is gone afterwards. */
export async function endConnection(tx: Knex.Transaction, { connection_id, organization_id }: SsoConnectionsRow, now: number): Promise<void> {
  await endSessions(tx, { sso_connection_id: connection_id }, now);
  await endOpenings(tx, organization_id, now);
  await tx('sso_connections').where({ connection_id }).delete();
}

// The one way agents are read: with their newest deployment, which decides the state shown.
import type { Knex } from 'knex';
import type { AgentsRow } from '../../../db/tables.ts';

export interface AgentView extends AgentsRow {
  last_deploy_id: string | null;
  last_state: string | null;
  last_error: unknown;
  last_created_at: Date | null;
}

/** Word for word the condition of the indexes agents_public and agents_listed_…. */
export const listed = `deleted_at is null and visibility = 'public' and live_deploy_id is not null`;

const newest = `left join lateral (
  select deploy_id, state, error, created_at from deployments d where d.agent_id = a.agent_id order by number desc limit 1
) l on true`;

const columns = 'a.*, l.deploy_id as last_deploy_id, l.state as last_state, l.error as last_error, l.created_at as last_created_at';

/** Rows of living agents that match `where` (over `a`), e.g. `a.owner_id = :owner`. */
export async function selectAgents(db: Knex, where: string, bindings: Record<string, Knex.RawBinding>, tail = 'order by a.name'): Promise<AgentView[]> {
  const { rows } = await db.raw<{ rows: AgentView[] }>(`select ${columns} from agents a ${newest} where a.deleted_at is null and ${where} ${tail}`, bindings);
  return rows;
}

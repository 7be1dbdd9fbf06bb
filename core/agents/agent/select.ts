// The one way agents are read: with their newest deployment, which decides the state shown.
import type { Knex } from 'knex';
import type { AgentsRow, DeploymentsRow } from '#db/tables.ts';
import type { Columns } from '../../kernel/policy.ts';

type OwnColumns = Omit<AgentsRow, 'search' | 'search_text'>;

export interface AgentView extends OwnColumns {
  last_deploy_id: string | null;
  last_state: DeploymentsRow['state'] | null;
  last_error: unknown;
  last_created_at: Date | null;
  /** Of the instance that serves: out of service by its own health(). */
  unwell_reason: string | null;
  unwell_since: Date | null;
  /** Of an imported agent: its row of agent_imports without what the remote sent. */
  imported: unknown;
}

/** Word for word the condition of the indexes agents_public and agents_listed_…. */
export const listed = `deleted_at is null and visibility = 'public' and live_deploy_id is not null`;

/**
 * The order of agents among equals, everywhere: those that answer first, then the most called. Word for word
 * that of the index agents_public.
 */
export const bestFirst = 'unanswered, call_count desc, name';

/** Whose the rows of `agents a` are, for the rules. */
export const agentColumns = {
  owner: 'a.owner_id',
  agent: 'a.agent_id',
  listed: "a.visibility = 'public' and a.live_deploy_id is not null and a.deleted_at is null",
} satisfies Columns;

const newest = `left join lateral (
  select deploy_id, state, error, created_at from deployments d where d.agent_id = a.agent_id order by number desc limit 1
) l on true
left join lateral (
  select unwell_reason, unwell_since from instances i where i.deploy_id = a.live_deploy_id and i.state = 'serving' order by i.created_at desc limit 1
) h on true
left join agent_imports im on im.agent_id = a.agent_id`;

/**
 * All but what search looks through, which is as long as all the others together. A record, so that the
 * compiler asks for new ones.
 */
const own: Record<keyof OwnColumns, 1> = {
  agent_id: 1,
  name: 1,
  owner_id: 1,
  kind: 1,
  endpoint_url: 1,
  description: 1,
  version: 1,
  tags: 1,
  visibility: 1,
  reuse_policy: 1,
  card: 1,
  skills: 1,
  live_deploy_id: 1,
  deploy_count: 1,
  call_count: 1,
  created_at: 1,
  updated_at: 1,
  deleted_at: 1,
  generated_commit: 1,
  code_editor: 1,
  unanswered: 1,
  allowed_origins: 1,
};

const columns = [
  ...Object.keys(own).map((column) => `a.${column}`),
  'l.deploy_id as last_deploy_id, l.state as last_state, l.error as last_error, l.created_at as last_created_at',
  'h.unwell_reason, h.unwell_since',
  "to_jsonb(im) - '{remote,security}'::text[] as imported",
].join(', ');

/** Rows of living agents that match `where` (over `a`), e.g. `a.owner_id = :owner`. */
export async function selectAgents(db: Knex, where: string, bindings: Record<string, Knex.RawBinding>, tail = 'order by a.name'): Promise<AgentView[]> {
  const { rows } = await db.raw<{ rows: AgentView[] }>(`select ${columns} from agents a ${newest} where a.deleted_at is null and ${where} ${tail}`, bindings);
  return rows;
}

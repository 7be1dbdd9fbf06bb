import type { Knex } from 'knex';
import type { AgentSessionsRow, JobsRow } from '#db/tables.ts';
import type { Actor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { type Action, whereMay } from '../../kernel/policy.ts';

export interface SessionView extends AgentSessionsRow {
  state: JobsRow['state'];
  last_seq: number;
  ended_at: Date | null;
  events_state: JobsRow['events_state'];
}

const columns = ['s.*', 'j.state', 'j.last_seq', 'j.ended_at', 'j.events_state'] as const;

/** Sessions with the state of their jobs. */
export function sessions(db: Knex): Knex.QueryBuilder<SessionView, SessionView[]> {
  return db('agent_sessions as s')
    .join('jobs as j', 'j.job_id', 's.job_id')
    .select<SessionView[]>(...columns);
}

/**
 * @throws NotFound session_not_found, also for one that the actor may not do it to: the agent's owner among
 * them
 */
export async function sessionFor(db: Knex, actor: Actor, action: Action, sessionId: string): Promise<SessionView> {
  const [row] = await sessions(db)
    .where('s.session_id', sessionId)
    .where(whereMay(actor, action, { owner: 's.user_id' }));
  if (!row) throw new NotFound('session_not_found', `You have no session ${sessionId}`);
  return row;
}

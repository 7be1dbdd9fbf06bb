import type { Knex } from 'knex';
import type { AgentSessionsRow, JobsRow } from '#db/tables.ts';
import type { UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';

export interface SessionView extends AgentSessionsRow {
  state: JobsRow['state'];
  last_seq: number;
  ended_at: Date | null;
  events_state: JobsRow['events_state'];
}

const columns = ['s.*', 'j.state', 'j.last_seq', 'j.ended_at', 'j.events_state'] as const;

/** Sessions with what their jobs say. */
export function sessions(db: Knex): Knex.QueryBuilder<SessionView, SessionView[]> {
  return db('agent_sessions as s')
    .join('jobs as j', 'j.job_id', 's.job_id')
    .select<SessionView[]>(...columns);
}

/** The caller's own; anybody else's answers as if it were not there, to the agent's owner too. */
export async function readSession(db: Knex, user: UserActor, sessionId: string): Promise<SessionView> {
  const [row] = await sessions(db).where('s.session_id', sessionId).where('s.user_id', user.user_id);
  if (!row) throw new NotFound('session_not_found', `You have no session ${sessionId}`);
  return row;
}

import type { z } from 'zod';
import type { SessionOut } from '#contract/runs/agent-sessions.ts';
import type { SessionView } from './find.ts';
import { headerOf } from './model.ts';

type Session = z.infer<typeof SessionOut>;

export function presentSession(row: SessionView): Session {
  const { agent, version, skill } = headerOf(row);
  return {
    session_id: row.session_id,
    agent,
    version,
    skill,
    run_id: row.run_id,
    job_id: row.job_id,
    state: row.state,
    last_seq: row.last_seq,
    sealed: row.seal !== null,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

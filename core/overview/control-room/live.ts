// Runs that are open now: those that work for the account, and those of its agents. Calls that only compute
// have no row, and are read from the open calls.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { LiveRunOut } from '#contract/overview/control-room.ts';
import type { RunState } from '#contract/states.ts';
import { openRunStates } from '../../kernel/run-state.ts';
import { countIdOf } from '../../policy/count.ts';

interface Row {
  run_id: string;
  root_run_id: string;
  agent: string;
  skill: string;
  state: RunState | 'queued';
  job_id: string | null;
  started_at: Date;
}

export async function liveRuns(db: Knex, userId: string, limit: number): Promise<{ items: z.infer<typeof LiveRunOut>[]; more: boolean }> {
  const { rows } = await db.raw<{ rows: Row[] }>(
    `select run_id, coalesce(root_run_id, run_id) as root_run_id, agent_name as agent, skill, state, job_id, started_at from runs
     where state in (${openRunStates}) and (user_id = :userId or agent_id in (select agent_id from agents where owner_id = :userId))
     union all
     select call->'run'->>'run_id', coalesce(call->'run'->>'root_run_id', call->'run'->>'run_id'), call->'route'->>'agentName', call->>'skill', 'running', null,
            to_timestamp((call->>'startedAt')::double precision / 1000)
     from open_calls o
     where receipt_id is null and (call->'run'->>'user_id' = :userId or call->'run'->>'owner_id' = :userId)
       and not exists (select 1 from runs r where r.run_id = o.call->'run'->>'run_id')
     order by started_at desc, run_id limit :limit`,
    { userId, limit: limit + 1 },
  );
  const shown = rows.slice(0, limit);
  const counts = await db('policy_counts')
    .whereIn(
      'count_id',
      shown.map(({ root_run_id }) => countIdOf(userId, root_run_id)),
    )
    .select('count_id', 'taken');
  const taken = new Map(counts.map((row) => [row.count_id, row.taken]));
  return {
    items: shown.map((row) => ({
      ...row,
      state: row.state === 'queued' ? 'running' : row.state,
      started_at: row.started_at.toISOString(),
      agent_calls: taken.get(countIdOf(userId, row.root_run_id)) ?? 0,
    })),
    more: rows.length > limit,
  };
}

// What a loop has cost: language models of its runs and of the runs that these called, and its own.
import type { Knex } from 'knex';
import type { ReviewLoopsRow } from '#db/tables.ts';

export const PURPOSE = 'review_loop';

/** Micro-dollars; calls without a known price cost nothing here, and what is under way counts as reserved. */
export async function loopSpending(
  db: Knex,
  {
    job_id,
    owner_id,
    agent_id,
    reviewer_run_id,
    created_at,
    ended_at,
  }: Pick<ReviewLoopsRow, 'job_id' | 'owner_id' | 'agent_id' | 'reviewer_run_id' | 'created_at' | 'ended_at'>,
): Promise<number> {
  const { rows } = await db.raw<{ rows: { micros: string }[] }>(
    `with begun as (
       select unnest(run_ids) as run_id from review_probes where job_id = :job_id union select :reviewer_run_id::text
     ), all_runs as (
       select run_id from begun union select r.run_id from runs r join begun b on r.root_run_id = b.run_id
     )
     select coalesce(sum(case when u.state = 'running' then u.reserved_micros else coalesce(u.cost_micros, 0) end), 0) as micros
     from llm_usage u
     where u.run_id in (select run_id from all_runs where run_id is not null)
        or (u.user_id = :owner_id and u.purpose = '${PURPOSE}' and u.agent_name = (select name from agents where agent_id = :agent_id)
            and u.started_at >= :created_at and (:ended_at::timestamptz is null or u.started_at <= :ended_at))`,
    { job_id, owner_id, agent_id, reviewer_run_id, created_at, ended_at },
  );
  return Number(rows[0]?.micros ?? 0);
}

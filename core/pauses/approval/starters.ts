// Which persons began what led to a run: who called or started it, who began its plan, who made or fired its
// schedule. They do not approve it, unless the rule lets them.
import type { Knex } from 'knex';
import { isOrganizationId } from '../../kernel/ids.ts';

export interface Led {
  run_id: string | null;
  root_run_id: string | null;
  job_id: string | null;
  /** Of a question of a plan. */
  dag_run_id?: string;
}

/** Deeper is no chain of calls. */
const MOST_JOBS = 50;

/** user_ids; none where no person began it: a mail, a token. */
export async function startersOf(tx: Knex, led: Led): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { person: string | null }[] }>(
    `with recursive roots as (
       select caller_kind, caller_id, schedule_id, job_id from runs where run_id in (:root, :run)
       union all
       select call->'caller'->>'kind', call->'caller'->>'id', null, null from open_calls where call->'run'->>'run_id' in (:root, :run)
     ), up as (
       select job_id, parent_job_id, 1 as depth from jobs where job_id = :job or job_id in (select job_id from roots)
       union
       select j.job_id, j.parent_job_id, depth + 1 from jobs j join up on j.job_id = up.parent_job_id where depth < ${MOST_JOBS}
     ), origins as (
       select :root::text as id
       union select :run::text
       union select :plan::text
       union select schedule_id from roots where schedule_id is not null
       union select schedule_id from schedule_firings where job_id in (select job_id from up)
       union select dag_run_id from dag_runs where job_id in (select job_id from up)
     )
     select caller_id as person from roots where caller_kind = 'user'
     union
     select actor_id from audit_log where target_id in (select id from origins) and actor_kind = 'user'
       and action in ('run.start', 'dag.start', 'schedule.create', 'schedule.update', 'schedule.run')`,
    { run: led.run_id, root: led.root_run_id ?? led.run_id, job: led.job_id, plan: led.dag_run_id ?? null },
  );
  return rows.flatMap(({ person }) => (person === null || isOrganizationId(person) ? [] : [person]));
}

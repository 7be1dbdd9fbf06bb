import type { Knex } from 'knex';

/** No workflow is lost without being noticed: what is under way is known here, whatever the engine forgets. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Each workflow that was started and has not been seen to end, with what starts it again.
    create table open_workflows (
      workflow_id text primary key,
      type        text not null,
      message     jsonb not null,
      started_at  timestamptz not null default now(),
      looked_at   timestamptz,
      restarts    integer not null default 0
    );
    insert into open_workflows (workflow_id, type, message, started_at)
      select distinct on (o.workflow_id) o.workflow_id, o.name, o.message, o.created_at from outbox o
      where o.kind = 'start'
        and not exists (select 1 from jobs j where j.workflow_id = o.workflow_id and j.ended_at is not null)
        and not exists (select 1 from waits w where o.workflow_id = 'wait:' || w.wait_id and w.state <> 'pending'
          and (w.delivered_at is not null or w.state = 'cancelled'))
      order by o.workflow_id, o.created_at desc;
    -- Work without a job, of which starts were kept for a week; and what the engine's calendar started.
    insert into open_workflows (workflow_id, type, message, started_at)
      select 'payout:' || run_id, 'settlePayouts', jsonb_build_object('taskQueue', 'control', 'args', jsonb_build_array(jsonb_build_object('run_id', run_id)),
        'searchAttributes', jsonb_build_object('SvcKind', 'payout', 'SvcOwner', 'platform')), created_at
      from payout_runs where state = 'running'
      union all
      select 'domain:' || d.domain_id || ':' || d.round, 'verifyDomain', jsonb_build_object('taskQueue', 'control', 'args', jsonb_build_array(jsonb_build_object('domain_id', d.domain_id, 'round', d.round)),
        'searchAttributes', jsonb_build_object('SvcKind', 'domain', 'SvcAgent', a.name, 'SvcOwner', a.owner_id)), d.created_at
      from agent_domains d join agents a using (agent_id) where d.state in ('pending', 'active', 'suspended')
      union all
      select 'certificate:' || d.domain_id, 'renewCertificate', jsonb_build_object('taskQueue', 'control', 'args', jsonb_build_array(jsonb_build_object('domain_id', d.domain_id)),
        'searchAttributes', jsonb_build_object('SvcKind', 'certificate', 'SvcAgent', a.name, 'SvcOwner', a.owner_id)), d.created_at
      from agent_domains d join agents a using (agent_id) where d.asks_certificate
      union all
      select 'database-drop:' || project_id, 'dropDatabase', jsonb_build_object('taskQueue', 'control', 'args', jsonb_build_array(jsonb_build_object('project_id', project_id, 'branch_id', null)),
        'searchAttributes', jsonb_build_object('SvcKind', 'database', 'SvcOwner', owner_id)), updated_at
      from database_projects where state = 'deleting'
      union all
      select 'database-drop:' || b.branch_id, 'dropDatabase', jsonb_build_object('taskQueue', 'control', 'args', jsonb_build_array(jsonb_build_object('project_id', b.project_id, 'branch_id', b.branch_id)),
        'searchAttributes', jsonb_build_object('SvcKind', 'database', 'SvcOwner', p.owner_id)), b.updated_at
      from database_branches b join database_projects p using (project_id) where b.state = 'deleting' and p.state <> 'deleting'
      union all
      select f.firing_id, 'scheduledRun', jsonb_build_object('taskQueue', 'control', 'args', jsonb_build_array(jsonb_build_object('schedule_id', f.schedule_id, 'firing',
          jsonb_build_object('due_at', floor(extract(epoch from f.due_at) * 1000), 'made_at', floor(extract(epoch from f.started_at) * 1000)))),
        'searchAttributes', jsonb_build_object('SvcKind', 'schedule', 'SvcOwner', s.owner_id)), f.started_at
      from schedule_firings f join schedules s using (schedule_id) where f.cause = 'time' and f.ended_at is null
    on conflict do nothing;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table open_workflows');
}

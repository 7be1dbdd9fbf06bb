import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table runs
      -- call: its caller holds it and ends it. promoted: began as a call, then a workflow holds it. started: a workflow holds it from the start.
      add column kind text not null default 'call' check (kind in ('call', 'promoted', 'started')),
      drop constraint runs_state_check,
      drop constraint runs_check;
    update runs r set kind = case when r.args is null then 'promoted' else 'started' end
      where exists (select 1 from jobs j where j.workflow_id = 'run:' || r.run_id);
    update runs set state = 'queued' where kind = 'started' and state = 'running' and asked_process is null;
    alter table runs
      -- queued: its agent has not been asked in this attempt.
      add constraint runs_state_check check (state in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')),
      add constraint runs_ended_at_check check ((state in ('succeeded', 'failed', 'cancelled')) = (ended_at is not null)),
      add constraint runs_queued_check check (state <> 'queued' or (kind = 'started' and asked_process is null));
    drop index runs_open;
    create index runs_open on runs (started_at) where state in ('queued', 'running', 'waiting');
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index runs_open;
    create index runs_open on runs (started_at) where ended_at is null;
    alter table runs drop constraint runs_queued_check, drop constraint runs_ended_at_check, drop constraint runs_state_check;
    update runs set state = 'running' where state = 'queued';
    alter table runs
      drop column kind,
      add constraint runs_state_check check (state in ('running', 'waiting', 'succeeded', 'failed', 'cancelled')),
      add constraint runs_check check ((state in ('succeeded', 'failed', 'cancelled')) = (ended_at is not null));
  `);
}

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- The truth about schedules; the workflow engine's own are made from these rows and made anew when they differ.
    create table schedules (
      schedule_id            text primary key,
      owner_id               text not null references users,
      title                  text not null,
      cron                   text not null,
      time_zone              text not null,
      overlap                text not null check (overlap in ('skip', 'buffer_one', 'allow_all', 'cancel_other')),
      catchup_window_seconds integer not null,
      jitter_seconds         integer not null,
      pause_on_failure       boolean not null,
      paused                 boolean not null,
      -- Who paused it: its owner, or a failure.
      paused_by              text check (paused_by in ('owner', 'failure')),
      target                 jsonb not null,
      -- The very agent that was meant: another that has taken its name later is not called.
      agent_id               text references agents,
      failures_in_a_row      integer not null default 0,
      last_error             jsonb,
      -- Counts changes; synced_version is the one that the workflow engine has.
      version                integer not null default 1,
      synced_version         integer not null default 0,
      -- Of what the workflow engine has, as it was when we wrote it.
      fingerprint            text,
      sync_error             text,
      -- Held by who writes it to the engine at the moment.
      sync_until             timestamptz,
      created_at             timestamptz not null default now(),
      updated_at             timestamptz not null default now(),
      deleted_at             timestamptz,
      check (paused = (paused_by is not null))
    );
    create index schedules_owner on schedules (owner_id, created_at desc, schedule_id desc) where deleted_at is null;
    create index schedules_owner_all on schedules (owner_id);
    create index schedules_agent on schedules (agent_id);
    create index schedules_unsynced on schedules (updated_at) where synced_version < version;

    -- Every time a schedule was due, or was run by hand.
    create table schedule_firings (
      -- The workflow's id, which the engine makes of the schedule and the time; manual ones have an id of ours.
      firing_id   text primary key,
      schedule_id text not null references schedules on delete cascade,
      cause       text not null check (cause in ('time', 'manual')),
      due_at      timestamptz not null,
      state       text not null check (state in ('starting', 'running', 'succeeded', 'failed', 'cancelled', 'missed')),
      job_id      text references jobs,
      run_id      text,
      error       jsonb,
      started_at  timestamptz not null default now(),
      ended_at    timestamptz,
      check ((state in ('starting', 'running')) = (ended_at is null))
    );
    create index schedule_firings_schedule on schedule_firings (schedule_id, started_at desc);
    create index schedule_firings_job on schedule_firings (job_id);
    create index schedule_firings_ended on schedule_firings (ended_at);

    -- One agent called another on a user's account, under a grant of theirs.
    create table subagent_runs (
      grant_id      text primary key references grants,
      owner_id      text not null references users,
      agent_name    text not null,
      skill         text not null,
      -- Who called: null for the user's own rerun.
      caller_agent  text,
      caller_run_id text,
      source        text not null check (source in ('call', 'reported', 'rerun')),
      -- The newest call under the grant; null for what was only reported.
      run_id        text references runs,
      calls         integer not null default 1,
      rerun_of      text references grants,
      -- Reported calls only: others have their run.
      reported      jsonb,
      started_at    timestamptz not null
    );
    create index subagent_runs_owner on subagent_runs (owner_id, started_at desc, grant_id desc);
    create index subagent_runs_run on subagent_runs (run_id);
    create index subagent_runs_rerun_of on subagent_runs (rerun_of);
    create function note_subagent_run() returns trigger language plpgsql as $$
    begin
      insert into subagent_runs as s (grant_id, owner_id, agent_name, skill, caller_agent, caller_run_id, source, run_id, started_at)
        select new.grant_id, new.user_id, new.agent_name, new.skill, p.agent_name, new.parent_run_id, 'call', new.run_id, new.started_at
        from grants g left join runs p on p.run_id = new.parent_run_id
        where g.grant_id = new.grant_id and g.owner_id = new.user_id
      on conflict (grant_id) do update set run_id = excluded.run_id, skill = excluded.skill, calls = s.calls + 1, source = 'call', reported = null;
      return null;
    end $$;
    create trigger runs_subagent after insert on runs
      for each row when (new.grant_id is not null and new.parent_run_id is not null) execute function note_subagent_run();

    -- What a coordinator agent remembers of a goal it works at, so that it goes on after a restart.
    create table meta_runs (
      meta_run_id text primary key,
      agent_id    text not null references agents,
      user_id     text not null references users,
      goal        text not null,
      criteria    jsonb not null,
      plan        jsonb not null,
      progress    jsonb not null,
      status      text not null check (status in ('planning', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')),
      -- Counts changes: a change says which version it was made of.
      version     integer not null default 1,
      -- The run that wrote last; null: the user.
      run_id      text,
      created_at  timestamptz not null default now(),
      updated_at  timestamptz not null default now(),
      ended_at    timestamptz,
      check ((status in ('succeeded', 'failed', 'cancelled')) = (ended_at is not null))
    );
    create index meta_runs_user on meta_runs (user_id, agent_id, created_at desc, meta_run_id desc);
    create index meta_runs_agent on meta_runs (agent_id);

    -- A session is the signed log of one durable run.
    create table agent_sessions (
      session_id text primary key,
      user_id    text not null references users,
      agent_id   text not null references agents,
      run_id     text not null unique references runs,
      job_id     text not null unique references jobs,
      -- First and last line of the log; the last one once it has been signed.
      header     jsonb not null,
      seal       jsonb,
      started_at timestamptz not null default now()
    );
    create index agent_sessions_user on agent_sessions (user_id, agent_id, started_at desc, session_id desc);
    create index agent_sessions_agent on agent_sessions (agent_id);

    -- Where a job's events are: rows, an archive in the object storage, or gone after their time.
    alter table jobs add column events_state text not null default 'kept' check (events_state in ('kept', 'archived', 'removed'));
    create index jobs_events_kept on jobs (ended_at) where ended_at is not null and events_state = 'kept';
    create table job_archives (
      job_id      text primary key references jobs on delete cascade,
      storage_key text not null,
      sha256      text not null,
      size_bytes  bigint not null,
      events      integer not null,
      archived_at timestamptz not null default now(),
      removed_at  timestamptz
    );
    create index job_archives_kept on job_archives (archived_at) where removed_at is null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table job_archives;
    drop index jobs_events_kept;
    alter table jobs drop column events_state;
    drop table agent_sessions, meta_runs;
    drop trigger runs_subagent on runs;
    drop table subagent_runs, schedule_firings, schedules;
    drop function note_subagent_run;
  `);
}

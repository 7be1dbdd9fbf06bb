// Schedules, and each time that one was due.
import type { Part } from '../../parts.ts';

export const schedules: Part = {
  up: `
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
  `,
  down: `
    drop table schedule_firings, schedules;
  `,
};

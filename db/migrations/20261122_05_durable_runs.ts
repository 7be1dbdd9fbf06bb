import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table runs
      -- agent/skill of every call that led here, this run last.
      add column chain         text[] not null default '{}',
      -- What a durable run is called with; kept here, not in its job, so that lists of jobs stay light.
      add column args          jsonb,
      add column input_sha256  text,
      add column schedule_id   text,
      add column attempt       integer not null default 1,
      -- Which process of the agent was asked to run it. Remembered before it is asked: what it does not know was lost with another process, or never came.
      add column asked_process text,
      add column asked_at      timestamptz,
      -- How many of this attempt's events are in the job, and how much the run has sent in all.
      add column event_cursor  integer not null default 0,
      add column event_count   integer not null default 0,
      add column event_bytes   bigint not null default 0,
      -- How long it was heard working; waiting for a person does not count.
      add column ran_ms        bigint not null default 0;
    create index runs_schedule on runs (schedule_id, started_at desc) where schedule_id is not null;
    create index runs_thread on runs (thread_id) where thread_id is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index runs_thread, runs_schedule;
    alter table runs
      drop column ran_ms, drop column event_bytes, drop column event_count, drop column event_cursor, drop column asked_at, drop column asked_process,
      drop column attempt, drop column schedule_id, drop column input_sha256, drop column args, drop column chain;
  `);
}

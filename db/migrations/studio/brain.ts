// What an account keeps of finished work, looked after each night; work that waits to be given to teams; and what was found, as it was then.
import type { Part } from '../../parts.ts';

export const brain: Part = {
  up: `
    create table brain_runtimes (
      owner_id           text primary key references users,
      enabled            boolean not null,
      daily_hour         int not null check (daily_hour between 0 and 23),
      time_zone          text not null,
      daily_budget_cents int not null check (daily_budget_cents >= 0),
      -- Day of the last night, in the time zone.
      last_night         text,
      updated_at         timestamptz not null
    );

    -- What a night, or a person, changed about a memory: each can be undone.
    create table brain_changes (
      change_id  text primary key,
      owner_id   text not null references users,
      kind       text not null check (kind in ('merged', 'aged')),
      memory_id  text not null references team_memories on delete cascade,
      reason     text not null,
      created_at timestamptz not null,
      undone_at  timestamptz
    );
    create index brain_changes_owner on brain_changes (owner_id, created_at desc, change_id desc);
    create index brain_changes_memory on brain_changes (memory_id);

    create table brain_feedback (
      feedback_id text primary key,
      owner_id    text not null references users,
      agent_id    text references agents,
      memory_id   text references team_memories on delete cascade,
      good        boolean not null,
      note        text not null,
      created_at  timestamptz not null,
      check ((agent_id is null) <> (memory_id is null))
    );
    create index brain_feedback_owner on brain_feedback (owner_id, created_at desc);
    create index brain_feedback_agent on brain_feedback (agent_id) where agent_id is not null;
    create index brain_feedback_memory on brain_feedback (memory_id) where memory_id is not null;

    create table brain_dispatches (
      dispatch_id text primary key,
      owner_id    text not null references users,
      -- As a plan of a team is asked for.
      wanted      jsonb not null,
      goal        text not null,
      state       text not null check (state in ('queued', 'started', 'needs_person', 'cancelled')),
      -- Why a person is needed.
      reason      text,
      dag_run_id  text,
      created_at  timestamptz not null,
      started_at  timestamptz
    );
    create index brain_dispatches_owner on brain_dispatches (owner_id, created_at desc, dispatch_id desc);
    create index brain_dispatches_queued on brain_dispatches (owner_id, created_at) where state = 'queued';

    create table brain_artifacts (
      artifact_id text primary key,
      owner_id    text not null references users,
      kind        text not null check (kind in ('population', 'selection', 'aging', 'dream', 'townhall')),
      content     jsonb not null,
      created_at  timestamptz not null
    );
    create index brain_artifacts_owner on brain_artifacts (owner_id, kind, created_at desc, artifact_id desc);
  `,
  down: `
    drop table brain_artifacts, brain_dispatches, brain_feedback, brain_changes, brain_runtimes;
  `,
};

// Trial rooms: contestants that answer the same cases.
import type { Part } from '../../parts.ts';

export const trialRooms: Part = {
  up: `
    create table trial_rooms (
      room_id    text primary key,
      owner_id   text not null references users,
      slug       text not null,
      title      text not null,
      -- Task, cases and limits, as they were given.
      spec       jsonb not null,
      on_deploy  boolean not null,
      -- What was selected and why; null: nothing yet.
      decision   jsonb,
      created_at timestamptz not null,
      decided_at timestamptz,
      unique (owner_id, slug),
      check ((decision is null) = (decided_at is null))
    );
    create index trial_rooms_owner on trial_rooms (owner_id, created_at desc, room_id desc);
    create index trial_rooms_on_deploy on trial_rooms (room_id) where on_deploy;

    -- One contestant that answers every case: a version of an agent, or a model.
    create table trial_runs (
      run_id      text primary key,
      room_id     text not null references trial_rooms on delete cascade,
      owner_id    text not null references users,
      -- Of the room, from 1.
      number      int not null,
      job_id      text references jobs on delete set null,
      agent_id    text references agents,
      agent_name  text,
      skill       text,
      -- Where arguments come from; null: by their names.
      map         jsonb,
      deploy_id   text,
      version     text,
      credential  text,
      model       text,
      trigger     text not null check (trigger in ('person', 'deploy')),
      -- null: not ended, or nothing was answered
      score       jsonb,
      compared    jsonb,
      deadline_at timestamptz not null,
      created_at  timestamptz not null,
      ended_at    timestamptz,
      unique (room_id, number),
      check ((agent_id is null) <> (model is null))
    );
    create index trial_runs_job on trial_runs (job_id);
    create index trial_runs_agent on trial_runs (agent_id, created_at desc, run_id desc) where agent_id is not null;
    create index trial_runs_owner on trial_runs (owner_id) where ended_at is null;

    create table trial_results (
      run_id       text not null references trial_runs on delete cascade,
      case_no      int not null,
      state        text not null check (state in ('queued', 'running', 'done')),
      -- The run of the agent.
      child_run_id text,
      score        int,
      parts        jsonb not null default '[]',
      output       jsonb,
      error        jsonb,
      receipt_id   text,
      cost_micros  bigint,
      ms           int,
      started_at   timestamptz,
      primary key (run_id, case_no),
      check ((state = 'done') = (score is not null))
    );

    create table trial_ratings (
      run_id     text not null references trial_runs on delete cascade,
      user_id    text not null references users,
      score      int not null check (score between 0 and 100),
      notes      text not null,
      -- Who the contestant is was hidden from them.
      blind      boolean not null,
      updated_at timestamptz not null,
      primary key (run_id, user_id)
    );
    create index trial_ratings_user on trial_ratings (user_id);
  `,
  down: `
    drop table trial_ratings, trial_results, trial_runs, trial_rooms;
  `,
};

// Runs of simulated worlds, and goals that coordinators work at.
import type { Part } from '../../parts.ts';

export const worlds: Part = {
  up: `
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

    -- Runs of simulated worlds, and comparisons of policies in them. Their state is their job's.
    create table kernel_runs (
      job_id           text primary key references jobs,
      owner_id         text not null references users,
      kind             text not null check (kind in ('simulation', 'evolution')),
      world            text not null check (world in ('market', 'tournament', 'school', 'adversarial_arena', 'resource_competition', 'capability_lifecycle', 'partnership')),
      template         text,
      execution_mode   text not null check (execution_mode in ('bounded', 'hybrid')),
      seed             integer not null,
      engine           text not null,
      spec             jsonb not null,
      -- of the evolution alone: what is compared, and how
      input            jsonb not null default '{}',
      replay_of        text references kernel_runs,
      -- steps, or contestants
      done             integer not null default 0,
      total            integer not null,
      digests          jsonb not null default '[]',
      samples          jsonb not null default '[]',
      most_calls       integer not null default 0,
      calls            jsonb not null default '[]',
      contestants      jsonb not null default '[]',
      -- null: it has not come to its end
      verdict          text check (verdict in ('held', 'violated')),
      digest           text,
      result           jsonb,
      first_difference integer,
      budget_cents     integer not null default 0,
      deadline_at      timestamptz not null,
      created_at       timestamptz not null default now()
    );
    create index kernel_runs_owner on kernel_runs (owner_id, kind, created_at desc, job_id desc);
    create index kernel_runs_replay on kernel_runs (replay_of);
  `,
  down: `
    drop table kernel_runs, meta_runs;
  `,
};

// Teams: plans frozen before they run, steps whose member may be replaced, scorecards that grow with the receipts, and what finished work taught.
import type { Part } from '../../parts.ts';

export const teams: Part = {
  up: `
    -- What was planned, as it may be started: it does not change.
    create table team_plans (
      plan_id    text primary key,
      owner_id   text not null references users,
      protocol   text not null,
      goal       text not null,
      spec       jsonb not null,
      digest     text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index team_plans_owner on team_plans (owner_id, created_at desc);

    create table team_runs (
      dag_run_id    text primary key references dag_runs on delete cascade,
      owner_id      text not null references users,
      plan_id       text not null,
      protocol      text not null,
      goal          text not null,
      budget_micros bigint not null,
      -- Members that may still be replaced.
      replans_left  int not null check (replans_left >= 0),
      evidence      text[] not null,
      created_at    timestamptz not null
    );
    create index team_runs_owner on team_runs (owner_id, created_at desc, dag_run_id desc);
    create index team_runs_plan on team_runs (plan_id);

    -- What calls by an account say of an agent: counts that halve with time, as of a time.
    create table scorecards (
      account_id text not null references users,
      agent_id   text not null references agents,
      good       double precision not null,
      bad        double precision not null,
      calls      bigint not null,
      as_of      timestamptz not null,
      primary key (account_id, agent_id)
    );
    create index scorecards_agent on scorecards (agent_id);

    -- One row: the last receipt that was counted.
    create table scorecard_cursor (
      one        boolean primary key default true check (one),
      receipt_id text not null
    );

    insert into scorecard_cursor (receipt_id) values ('');

    create table team_memories (
      memory_id    text primary key,
      owner_id     text not null references users,
      dag_run_id   text,
      kind         text not null check (kind in ('outcome', 'failure', 'lesson')),
      about        text not null,
      text         text not null,
      -- Receipts that it rests on; none: it has no source.
      sources      text[] not null,
      created_at   timestamptz not null,
      state        text not null default 'current' check (state in ('current', 'stale', 'merged')),
      -- Why it is not current.
      reason       text,
      merged_into  text references team_memories on delete set null,
      -- When a person last said that it holds.
      confirmed_at timestamptz
    );
    create index team_memories_owner on team_memories (owner_id, created_at desc, memory_id desc);
    create index team_memories_run on team_memories (dag_run_id);
    create index team_memories_merged on team_memories (merged_into) where merged_into is not null;
  `,
  down: `
    drop table team_memories, scorecard_cursor, scorecards, team_runs, team_plans;
  `,
};

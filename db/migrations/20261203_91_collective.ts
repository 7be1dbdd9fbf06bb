import type { Knex } from 'knex';

/** Teams: plans frozen before they run, steps whose member may be replaced, scorecards that grow with the receipts, and what finished work taught. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table dag_runs drop constraint dag_runs_planner_check;
    alter table dag_runs add constraint dag_runs_planner_check check (planner in ('steps', 'rules', 'model', 'team'));

    alter table dag_nodes
      -- Of a team: what the step is called and who does it.
      add column step     text,
      add column role     text,
      -- The task in words, with its inputs: arguments are made of it for the skill that does it. null: args are as written.
      add column brief    jsonb,
      -- Agents that take its place when it fails, in order.
      add column others   jsonb not null default '[]',
      add column attempt  int not null default 0,
      -- Its failure does not stop the plan.
      add column may_fail boolean not null default false,
      -- A person opens it.
      add column gate     boolean not null default false;

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
    -- The last receipt that was counted.
    create table scorecard_cursor (
      one        boolean primary key default true check (one),
      receipt_id text not null
    );
    insert into scorecard_cursor (receipt_id) values ('');

    create table team_memories (
      memory_id  text primary key,
      owner_id   text not null references users,
      dag_run_id text,
      kind       text not null check (kind in ('outcome', 'failure', 'lesson')),
      about      text not null,
      text       text not null,
      -- Receipts that it rests on; none: it has no source.
      sources    text[] not null,
      created_at timestamptz not null
    );
    create index team_memories_owner on team_memories (owner_id, created_at desc, memory_id desc);
    create index team_memories_run on team_memories (dag_run_id);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table team_memories, scorecard_cursor, scorecards, team_runs, team_plans;
    alter table dag_nodes drop column step, drop column role, drop column brief, drop column others, drop column attempt, drop column may_fail, drop column gate;
    delete from dag_runs where planner = 'team';
    alter table dag_runs drop constraint dag_runs_planner_check;
    alter table dag_runs add constraint dag_runs_planner_check check (planner in ('steps', 'rules', 'model'));
  `);
}

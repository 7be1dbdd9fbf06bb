// Words of a person, and plans over several agents.
import type { Part } from '../../parts.ts';

export const plans: Part = {
  up: `
    -- A plan over several agents: from steps a person wrote, from rules that read a person's words, from what a model chose, or of a team.
    -- Stays when its thread is deleted.
    create table dag_runs (
      dag_run_id text primary key,
      owner_id   text not null references users,
      thread_id  text,
      job_id     text not null unique references jobs,
      title      text not null,
      planner    text not null check (planner in ('steps', 'rules', 'model', 'team')),
      -- A model may think again this often.
      thoughts   integer not null default 0,
      created_at timestamptz not null default now()
    );
    create index dag_runs_owner on dag_runs (owner_id, created_at desc, dag_run_id desc);

    create table dag_nodes (
      dag_run_id text not null references dag_runs on delete cascade,
      -- From 1, in the order they were planned.
      number     integer not null,
      agent_name text not null,
      skill      text not null,
      -- As written, references to results of others among them.
      args       jsonb not null,
      depends_on integer[] not null default '{}',
      state      text not null default 'pending' check (state in ('pending', 'asking', 'running', 'succeeded', 'failed', 'cancelled', 'skipped')),
      -- Chosen by a model, and not harmless: a person is asked before it runs.
      ask        boolean not null default false,
      wait_id    text references waits,
      job_id     text references jobs,
      run_id     text,
      -- Which thought of a model it came from, and its own name for the call: '2:call_abc'.
      call_id    text,
      error      jsonb,
      started_at timestamptz,
      ended_at   timestamptz,
      -- Of a team: what the step is called and who does it.
      step       text,
      role       text,
      -- The task in words, with its inputs: arguments are made of it for the skill that does it. null: args are as written.
      brief      jsonb,
      -- Agents that take its place when it fails, in order.
      others     jsonb not null default '[]',
      attempt    int not null default 0,
      -- Its failure does not stop the plan.
      may_fail   boolean not null default false,
      -- A person opens it.
      gate       boolean not null default false,
      -- Since when it waits because its account has as many runs under way as an operator allows.
      room_since timestamptz,
      primary key (dag_run_id, number),
      check ((state in ('succeeded', 'failed', 'cancelled', 'skipped')) = (ended_at is not null))
    );
    create index dag_nodes_job on dag_nodes (job_id);
    create index dag_nodes_wait on dag_nodes (wait_id);

    -- One message of a person and what came of it.
    create table chat_turns (
      turn_id         text primary key,
      thread_id       text not null references threads on delete cascade,
      owner_id        text not null references users,
      idempotency_key text,
      -- How the message was understood: call, picked, candidates, plan, model, nothing.
      reading         text not null,
      state           text not null default 'running' check (state in ('running', 'succeeded', 'failed', 'cancelled')),
      -- The run's or the plan's; null where nothing had to run.
      job_id          text references jobs,
      -- What the platform says: text, candidates, error.
      reply           jsonb not null default '{}',
      first_seq       integer not null,
      last_seq        integer,
      created_at      timestamptz not null default now(),
      ended_at        timestamptz,
      check ((state = 'running') = (ended_at is null))
    );
    create unique index chat_turns_idempotency on chat_turns (owner_id, idempotency_key) where idempotency_key is not null;
    create index chat_turns_thread on chat_turns (thread_id, created_at desc);
    create index chat_turns_job on chat_turns (job_id);
  `,
  down: `
    drop table chat_turns, dag_nodes, dag_runs;
  `,
};

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table threads (
      thread_id   text primary key,
      owner_id    text not null references users,
      title       text not null,
      -- False while the title is only the beginning of the first message.
      titled      boolean not null default false,
      -- When an agent at work here may call another one without asking.
      handoffs    text not null default 'ask_foreign' check (handoffs in ('ask_foreign', 'ask_always', 'never')),
      last_seq    integer not null default 0,
      created_at  timestamptz not null default now(),
      -- Of the newest message: not of every event, or each would move the row in its index.
      touched_at  timestamptz not null default now(),
      archived_at timestamptz
    );
    create index threads_owner on threads (owner_id, touched_at desc, thread_id desc);

    -- Append-only; seq is gap-free per thread because it is taken from the thread's row in the same transaction.
    create table thread_events (
      thread_id text not null references threads on delete cascade,
      seq       integer not null,
      kind      text not null,
      payload   jsonb not null default '{}',
      at        timestamptz not null default now(),
      primary key (thread_id, seq)
    );
    create index thread_events_messages on thread_events (thread_id, seq desc) where kind = 'message';
    create function thread_events_append_only() returns trigger language plpgsql as $$
      begin
        raise exception 'thread_events is append-only';
      end $$;
    create trigger thread_events_append_only before update on thread_events
      for each row execute function thread_events_append_only();

    -- A plan over several agents: from steps a person wrote, or from what a model chose. Stays when its thread is deleted.
    create table dag_runs (
      dag_run_id text primary key,
      owner_id   text not null references users,
      thread_id  text,
      job_id     text not null unique references jobs,
      title      text not null,
      planner    text not null check (planner in ('steps', 'model')),
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

    -- An approved handoff lets one call through.
    alter table waits add column used_at timestamptz;
    create index waits_thread on waits (thread_id) where state = 'pending';
    create index jobs_thread on jobs (thread_id) where ended_at is null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index jobs_thread, waits_thread;
    alter table waits drop column used_at;
    drop table chat_turns, dag_nodes, dag_runs, thread_events, threads;
    drop function thread_events_append_only;
  `);
}

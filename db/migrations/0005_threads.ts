import type { Knex } from 'knex';

/** Conversations. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Rows change with every event of a run: with room on their page for the next version, no index is written.
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
    ) with (fillfactor = 75);
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
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table thread_events, threads;
    drop function thread_events_append_only;
  `);
}

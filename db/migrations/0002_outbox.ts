import type { Knex } from 'knex';

/** Messages to workflows. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Written in the transaction that needs them, and sent after its commit.
    create table outbox (
      outbox_id   text primary key,
      kind        text not null check (kind in ('start', 'signal', 'update', 'cancel')),
      workflow_id text not null,
      name        text not null,
      message     jsonb not null default '{}',
      request_id  text not null,
      created_at  timestamptz not null default now(),
      due_at      timestamptz not null default now(),
      attempts    integer not null default 0,
      last_error  text,
      sent_at     timestamptz
    );
    create index outbox_unsent on outbox (due_at) where sent_at is null;
    create index outbox_sent on outbox (sent_at) where sent_at is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table outbox');
}

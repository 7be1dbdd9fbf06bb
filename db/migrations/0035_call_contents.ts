import type { Knex } from 'knex';

/** What a plain call took and gave, for its caller; why it failed, for the owner of its agent too. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- For so many days what the account's plain calls take and give is kept; 0: not at all.
    alter table users add column keep_content_days integer not null default 1 check (keep_content_days between 0 and 30);

    -- Why the platform itself made the call: a challenge. Null: somebody wanted its answer.
    alter table receipts add column purpose text check (purpose in ('challenge', 'evaluation', 'proof', 'simulation', 'trial'));
    -- Lists of all that an account called, and of what failed.
    create index receipts_caller_newest on receipts (caller_user_id, created_at desc, receipt_id desc);
    create index receipts_caller_not_ok on receipts (caller_user_id, created_at desc, receipt_id desc) where status <> 'ok';

    create table call_contents (
      run_id        text primary key,
      agent_id      text not null references agents,
      deploy_id     text not null,
      skill         text not null,
      -- The account that the run works for, which alone reads input, output and what was streamed; null: nobody does.
      user_id       text references users,
      request_id    text not null,
      state         text not null check (state in ('running', 'succeeded', 'failed', 'cancelled')),
      -- JSON as it was sent, in the order of its members; null: not kept.
      input         text,
      output        text,
      -- Text and progress so far, or the newest of it.
      streamed      text,
      progress      jsonb,
      -- Code, message and issues, as the agent said them.
      error         jsonb,
      -- Something was too large to be kept.
      left_out      boolean not null default false,
      started_at    timestamptz not null,
      ended_at      timestamptz,
      -- Until then input, output and what was streamed are kept, and until then the row.
      content_until timestamptz not null,
      expires_at    timestamptz not null
    );
    create index call_contents_agent on call_contents (agent_id);
    create index call_contents_user on call_contents (user_id);
    create index call_contents_running on call_contents (user_id, started_at desc) where state = 'running';
    create index call_contents_content_until on call_contents (content_until) where input is not null or output is not null or streamed is not null;
    create index call_contents_expires on call_contents (expires_at);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table call_contents;
    drop index receipts_caller_not_ok, receipts_caller_newest;
    alter table receipts drop column purpose;
    alter table users drop column keep_content_days;
  `);
}

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Calls on their way through a process of the API. One that dies leaves them here, and each still gets its receipt.
    create table open_calls (
      call_id    text primary key,
      process_id text not null,
      began_at   timestamptz not null default now(),
      -- What its receipt will say: SealedCall of core/agents/call.
      call       jsonb not null,
      -- Its run goes on after its caller has an answer: to be heard at its agent, by any process.
      goes_on    boolean not null default false,
      -- Set by a process that ended the call in place of its own process, which finds it here if it was only cut off.
      receipt_id text
    );

    -- Processes of the API, and when each was last there.
    create table api_processes (
      process_id text primary key,
      seen_at    timestamptz not null default now()
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table open_calls, api_processes');
}

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table receipt_keys (
      kid            text primary key,
      public_key     text not null,
      private_sealed text not null,
      not_before     timestamptz not null,
      not_after      timestamptz not null,
      created_at     timestamptz not null default now()
    );

    -- Head of each agent's chain; its row lock orders the chain.
    create table receipt_chains (
      agent_id    text primary key references agents,
      seq         bigint not null default 0,
      head_sha256 text
    );

    create table receipts (
      receipt_id      text primary key,
      agent_id        text not null references agents,
      seq             bigint,
      source          text not null check (source in ('platform', 'self')),
      kid             text not null,
      token           text not null,
      payload         jsonb not null,
      payload_sha256  text not null,
      skill           text not null,
      status          text not null check (status in ('ok', 'error', 'cancelled')),
      caller_kind     text not null,
      caller_id       text,
      caller_user_id  text references users,
      deploy_id       text references deployments,
      job_id          text references jobs,
      started_at      timestamptz not null,
      ended_at        timestamptz not null,
      duration_ms     integer not null,
      created_at      timestamptz not null default now(),
      unique (agent_id, seq),
      check ((source = 'platform') = (seq is not null))
    );
    create index receipts_agent on receipts (agent_id, created_at desc, receipt_id desc);
    create index receipts_caller on receipts (caller_user_id, created_at desc);
    create index receipts_deploy on receipts (deploy_id);
    create index receipts_job on receipts (job_id);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table receipts, receipt_chains, receipt_keys');
}

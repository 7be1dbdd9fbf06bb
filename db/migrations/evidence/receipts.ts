// Receipts, the chain that orders them, the keys that sign them.
import type { Part } from '../../parts.ts';

export const receipts: Part = {
  up: `
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

    -- A call that ended: signed, and in its agent's chain where the platform made it.
    create table receipts (
      receipt_id     text primary key,
      agent_id       text not null references agents,
      seq            bigint,
      source         text not null check (source in ('platform', 'self')),
      kid            text not null,
      token          text not null,
      payload        jsonb not null,
      payload_sha256 text not null,
      skill          text not null,
      status         text not null check (status in ('ok', 'error', 'cancelled')),
      caller_kind    text not null,
      caller_id      text,
      caller_user_id text references users,
      -- Its foreign key is added in 0013_deploys.ts.
      deploy_id      text,
      job_id         text references jobs,
      started_at     timestamptz not null,
      ended_at       timestamptz not null,
      duration_ms    integer not null,
      created_at     timestamptz not null default now(),
      -- A run that only computed has no row: its receipt says that it has ended, and its credential with it.
      run_id         text,
      -- The same of a run that has no row.
      trace_id       text,
      parent_span_id text,
      -- An account called; it was purged since.
      caller_gone    boolean not null default false,
      unique (agent_id, seq),
      check ((source = 'platform') = (seq is not null))
    );
    create index receipts_agent on receipts (agent_id, created_at desc, receipt_id desc);
    create index receipts_deploy on receipts (deploy_id);
    create index receipts_job on receipts (job_id);
    create index receipts_caller on receipts (caller_user_id, agent_id, created_at desc, receipt_id desc);
    create index receipts_run on receipts (run_id);
    create index receipts_not_ok on receipts (agent_id, status, created_at desc, receipt_id desc) where status <> 'ok';
  `,
  down: `
    drop table receipts, receipt_chains, receipt_keys;
  `,
};

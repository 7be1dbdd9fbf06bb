import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table jobs (
      job_id          text primary key,
      kind            text not null,
      state           text not null check (state in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')),
      title           text not null,
      owner_id        text not null references users,
      agent_id        text,
      agent_name      text,
      thread_id       text,
      parent_job_id   text references jobs,
      idempotency_key text,
      workflow_id     text unique,
      input           jsonb not null default '{}',
      output          jsonb,
      error           jsonb,
      last_seq        integer not null default 0,
      created_at      timestamptz not null default now(),
      started_at      timestamptz,
      ended_at        timestamptz,
      check ((state in ('succeeded', 'failed', 'cancelled')) = (ended_at is not null))
    );
    create unique index jobs_idempotency on jobs (owner_id, kind, idempotency_key) where idempotency_key is not null;
    create index jobs_owner on jobs (owner_id, created_at desc, job_id desc);
    create index jobs_agent on jobs (agent_id, created_at desc);
    create index jobs_parent on jobs (parent_job_id);
    create index jobs_open on jobs (created_at) where ended_at is null;

    -- Append-only; seq is gap-free per job because it is taken from the job's row in the same transaction.
    create table job_events (
      job_id  text not null references jobs on delete cascade,
      seq     integer not null,
      kind    text not null,
      payload jsonb not null default '{}',
      at      timestamptz not null default now(),
      primary key (job_id, seq)
    );
    create function job_events_append_only() returns trigger language plpgsql as $$
      begin
        raise exception 'job_events is append-only';
      end $$;
    create trigger job_events_append_only before update on job_events
      for each row execute function job_events_append_only();

    -- Messages to workflows, written in the transaction that needs them and sent after its commit.
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

    create table audit_log (
      audit_id   text primary key,
      at         timestamptz not null default now(),
      actor_kind text not null,
      actor_id   text,
      owner_id   text,
      action     text not null,
      target_id  text not null,
      request_id text not null,
      details    jsonb not null default '{}'
    );
    create index audit_log_target on audit_log (target_id, at desc);
    create index audit_log_owner on audit_log (owner_id, at desc);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table audit_log, outbox, job_events, jobs; drop function job_events_append_only');
}

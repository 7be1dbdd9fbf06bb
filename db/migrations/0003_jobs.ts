import type { Knex } from 'knex';

/** What runs in the background, its events, and the news that accounts get of it. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- One thing that goes on in the background; what it is of is in its kind and input.
    -- Rows change with every event of a run: with room on their page for the next version, no index is written.
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
      -- Where a job's events are: rows, an archive in the object storage, or gone after their time.
      events_state    text not null default 'kept' check (events_state in ('kept', 'archived', 'removed')),
      check ((state in ('succeeded', 'failed', 'cancelled')) = (ended_at is not null))
    ) with (fillfactor = 75);
    create unique index jobs_idempotency on jobs (owner_id, kind, idempotency_key) where idempotency_key is not null;
    create index jobs_owner on jobs (owner_id, created_at desc, job_id desc);
    create index jobs_agent on jobs (agent_id, created_at desc);
    create index jobs_parent on jobs (parent_job_id);
    create index jobs_open on jobs (created_at) where ended_at is null;
    -- Filtered lists read their page and nothing else, however many rows an account has.
    create index jobs_owner_kind on jobs (owner_id, kind, created_at desc, job_id desc);
    create index jobs_owner_state on jobs (owner_id, state, created_at desc, job_id desc);
    create index jobs_owner_agent on jobs (owner_id, agent_name, created_at desc, job_id desc);
    create index jobs_thread on jobs (thread_id) where ended_at is null;
    create index jobs_events_kept on jobs (ended_at) where ended_at is not null and events_state = 'kept';
    -- What one account may see of an agent, without passing over what belongs to others.
    create index jobs_agent_owner on jobs (agent_id, owner_id, created_at desc, job_id desc);

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

    -- Events of a job that are not rows any more: in the object storage.
    create table job_archives (
      job_id      text primary key references jobs on delete cascade,
      storage_key text not null,
      sha256      text not null,
      size_bytes  bigint not null,
      events      integer not null,
      archived_at timestamptz not null default now(),
      removed_at  timestamptz
    );
    create index job_archives_kept on job_archives (archived_at) where removed_at is null;

    -- Tells an account that one of its things changed: whose, of which kind, which. Heard by core/jobs/account-news.ts; kept nowhere.
    -- Arguments: the kind, the column of the owner, the column of the id.
    create function tell_account() returns trigger language plpgsql as $$
      declare
        row_now jsonb := to_jsonb(new);
      begin
        perform pg_notify('svc_account', concat_ws(' ', row_now->>tg_argv[1], tg_argv[0], row_now->>tg_argv[2]));
        return null;
      end $$;
    create trigger jobs_made_told after insert on jobs for each row execute function tell_account('job', 'owner_id', 'job_id');
    create trigger jobs_told after update of state on jobs for each row
      when (old.state is distinct from new.state) execute function tell_account('job', 'owner_id', 'job_id');
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table job_archives, job_events, jobs;
    drop function tell_account, job_events_append_only;
  `);
}

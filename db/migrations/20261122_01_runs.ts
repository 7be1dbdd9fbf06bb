import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- A run that did more than compute: asked, stored, called on, was granted. Plain calls have a receipt and no row here.
    create table runs (
      run_id        text primary key,
      agent_id      text not null references agents,
      agent_name    text not null,
      deploy_id     text not null references deployments,
      skill         text not null,
      -- On whose behalf, when that is a user of ours: whose files, who is asked.
      user_id       text references users,
      caller_kind   text not null,
      caller_id     text,
      parent_run_id text,
      -- Under which grant it was called, and the receipt its call left.
      grant_id      text,
      receipt_id    text,
      depth         integer not null default 0,
      job_id        text references jobs,
      thread_id     text,
      state         text not null default 'running' check (state in ('running', 'waiting', 'succeeded', 'failed', 'cancelled')),
      started_at    timestamptz not null,
      ended_at      timestamptz,
      check ((state in ('succeeded', 'failed', 'cancelled')) = (ended_at is not null))
    );
    create index runs_agent on runs (agent_id, started_at desc);
    create index runs_user on runs (user_id, started_at desc);
    create index runs_deploy on runs (deploy_id);
    create index runs_job on runs (job_id);
    create index runs_parent on runs (parent_run_id);
    create index runs_open on runs (started_at) where ended_at is null;

    -- Every pause for a person.
    create table waits (
      wait_id      text primary key,
      kind         text not null check (kind in ('question', 'input_request', 'handoff_approval', 'scope_request')),
      state        text not null default 'pending' check (state in ('pending', 'answered', 'approved', 'denied', 'expired', 'cancelled')),
      run_id       text references runs,
      job_id       text references jobs,
      thread_id    text,
      agent_id     text references agents,
      agent_name   text,
      skill        text,
      -- Who may answer.
      asked_of     text not null references users,
      prompt       text not null,
      -- JSON Schema of the answer (input_request), or what is asked for (scope_request: old and requested patterns, mode, ttl).
      request      jsonb not null default '{}',
      expires_at   timestamptz not null,
      resolution   jsonb,
      resolved_by  text references users,
      resolved_at  timestamptz,
      -- When the running skill took the outcome.
      delivered_at timestamptz,
      created_at   timestamptz not null default now(),
      check ((state = 'pending') = (resolved_at is null))
    );
    create index waits_asked on waits (asked_of, created_at desc, wait_id desc);
    create index waits_pending on waits (expires_at) where state = 'pending';
    create index waits_run on waits (run_id);
    create index waits_job on waits (job_id);
    create index waits_agent on waits (agent_id);
    create index waits_resolved_by on waits (resolved_by);

    create table sandboxes (
      sandbox_id text primary key,
      agent_id   text not null references agents,
      -- On whose behalf, or the run's id for callers that are no user of ours: sandboxes of one are not another's.
      scope      text not null,
      name       text not null,
      run_id     text references runs,
      node       text not null,
      image      text not null,
      grant_id   text,
      labels     jsonb not null default '{}',
      state      text not null check (state in ('running', 'stopped')),
      created_at timestamptz not null default now(),
      used_at    timestamptz not null default now(),
      unique (agent_id, scope, name)
    );
    create index sandboxes_run on sandboxes (run_id);
    create index sandboxes_used on sandboxes (used_at);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table sandboxes, waits, runs');
}

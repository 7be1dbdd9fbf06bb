// Runs and what they leave: artifacts, sessions, machines, keys to models.
import type { Part } from '../../parts.ts';

export const runs: Part = {
  up: `
    -- A run that did more than compute: asked, stored, called on, was granted. Plain calls have a receipt and no row here.
    -- Rows change with every event of a run: with room on their page for the next version, no index is written.
    create table runs (
      run_id         text primary key,
      agent_id       text not null references agents,
      agent_name     text not null,
      -- Its foreign key is added in 0013_deploys.ts.
      deploy_id      text not null,
      skill          text not null,
      -- On whose behalf, when that is a user of ours: whose files, who is asked.
      user_id        text references users,
      caller_kind    text not null,
      caller_id      text,
      parent_run_id  text,
      -- Under which grant it was called, and the receipt its call left.
      grant_id       text,
      receipt_id     text,
      depth          integer not null default 0,
      job_id         text references jobs,
      thread_id      text,
      -- queued: its agent has not been asked in this attempt.
      state          text not null default 'running' check (state in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')),
      started_at     timestamptz not null,
      ended_at       timestamptz,
      -- agent/skill of every call that led here, this run last.
      chain          text[] not null default '{}',
      -- What a durable run is called with; kept here, not in its job, so that lists of jobs stay light.
      args           jsonb,
      input_sha256   text,
      schedule_id    text,
      attempt        integer not null default 1,
      -- Which process of the agent was asked to run it. Remembered before it is asked: what it does not know was lost with another process, or never came.
      asked_process  text,
      asked_at       timestamptz,
      -- How many of this attempt's events are in the job, and how much the run has sent in all.
      event_cursor   integer not null default 0,
      event_count    integer not null default 0,
      event_bytes    bigint not null default 0,
      -- How long it was heard working; waiting for a person does not count.
      ran_ms         bigint not null default 0,
      -- call: its caller holds it and ends it. promoted: began as a call, then a workflow holds it. started: a workflow holds it from the start.
      kind           text not null default 'call' check (kind in ('call', 'promoted', 'started')),
      -- The first run of the chain of calls that a run belongs to; null: itself.
      root_run_id    text,
      -- What the caller said of its trace (W3C traceparent); null: the trace is the one of the first run of the chain, the parent the run that called.
      trace_id       text,
      parent_span_id text,
      -- What other systems say of the trace (W3C tracestate), for what the run calls later; null: nothing.
      trace_state    text,
      constraint runs_ended_at_check check ((state in ('succeeded', 'failed', 'cancelled')) = (ended_at is not null)),
      constraint runs_queued_check check (state <> 'queued' or (kind = 'started' and asked_process is null))
    ) with (fillfactor = 60);
    create index runs_agent on runs (agent_id, started_at desc);
    create index runs_user on runs (user_id, started_at desc);
    create index runs_deploy on runs (deploy_id);
    create index runs_job on runs (job_id);
    create index runs_parent on runs (parent_run_id);
    create index runs_schedule on runs (schedule_id, started_at desc) where schedule_id is not null;
    create index runs_thread on runs (thread_id) where thread_id is not null;
    create index runs_open on runs (started_at) where state in ('queued', 'running', 'waiting');

    create table artifacts (
      artifact_id text primary key,
      run_id      text not null references runs,
      agent_id    text not null references agents,
      user_id     text references users,
      name        text not null,
      mime_type   text not null,
      sha256      text not null references blobs,
      size_bytes  bigint not null,
      created_at  timestamptz not null default now(),
      unique (run_id, name)
    );
    create index artifacts_agent on artifacts (agent_id, created_at desc);
    create index artifacts_user on artifacts (user_id);
    create index artifacts_blob on artifacts (sha256);
    create index artifacts_created on artifacts (created_at);

    -- A session is the signed log of one durable run.
    create table agent_sessions (
      session_id text primary key,
      user_id    text not null references users,
      agent_id   text not null references agents,
      run_id     text not null unique references runs,
      job_id     text not null unique references jobs,
      -- First and last line of the log; the last one once it has been signed.
      header     jsonb not null,
      seal       jsonb,
      started_at timestamptz not null default now()
    );
    create index agent_sessions_user on agent_sessions (user_id, agent_id, started_at desc, session_id desc);
    create index agent_sessions_agent_time on agent_sessions (agent_id, started_at desc, session_id desc);

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

    -- Keys by which an agent uses its caller's model during a run.
    create table llm_grants (
      grant_id            text primary key,
      key_hash            text not null unique,
      user_id             text not null references users,
      agent_id            text not null references agents,
      run_id              text not null,
      -- what the run credential says
      run                 jsonb not null,
      -- null: those that the agent declares
      models              text[],
      budget_micros       bigint not null check (budget_micros >= 0),
      requests_per_minute integer not null,
      tokens_per_minute   integer not null,
      created_at          timestamptz not null,
      expires_at          timestamptz not null
    );
    create index llm_grants_user on llm_grants (user_id);
    create index llm_grants_agent on llm_grants (agent_id);
    create index llm_grants_expired on llm_grants (expires_at);

    -- Foreign keys of tables of earlier areas.
    alter table waits add foreign key (run_id) references runs;
    alter table grants add foreign key (run_id) references runs;
    alter table patches add foreign key (run_id) references runs;
  `,
  down: `
    alter table waits drop constraint waits_run_id_fkey;
    alter table grants drop constraint grants_run_id_fkey;
    alter table patches drop constraint patches_run_id_fkey;
    drop table llm_grants, sandboxes, agent_sessions, artifacts, runs;
  `,
};

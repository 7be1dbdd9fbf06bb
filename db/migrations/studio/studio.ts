// What is made of a brief: plans, runs, their iterations.
import type { Part } from '../../parts.ts';

export const studio: Part = {
  up: `
    -- What is best done about a brief. Not changed once it is written.
    create table studio_plans (
      plan_id      text primary key,
      owner_id     text not null references users,
      brief        jsonb not null,
      brief_sha256 text not null,
      decision     text not null check (decision in ('use_existing', 'compose', 'fork', 'edit_existing', 'build_new')),
      reason       text not null,
      -- As they were found; recipes with what the brief lacks.
      candidates   jsonb not null,
      recipes      jsonb not null,
      model        text,
      created_at   timestamptz not null,
      expires_at   timestamptz not null
    );
    create index studio_plans_owner on studio_plans (owner_id, created_at desc);
    create index studio_plans_expired on studio_plans (expires_at);

    create table studio_runs (
      run_id           text primary key,
      owner_id         text not null references users,
      plan_id          text not null,
      job_id           text references jobs on delete set null,
      brief            jsonb not null,
      decision         text not null check (decision in ('use_existing', 'compose', 'fork', 'edit_existing', 'build_new')),
      -- That it is made of.
      agents           text[] not null,
      recipe           text check (recipe in ('api_wrapper', 'webhook_transformer', 'file_retrieval', 'scheduled_digest', 'form_to_record', 'table_report', 'mail_triage', 'approval_desk', 'monitor_alert', 'mcp_bridge')),
      model            text,
      state            text not null check (state in ('queued', 'building', 'evaluating', 'reviewing', 'improving', 'deploying', 'live', 'partial', 'failed', 'cancelled')),
      -- Calls that the finished agent must answer, what is left for the person, a schedule that the brief asks for.
      trials           jsonb not null default '[]',
      next             jsonb not null default '[]',
      schedule         jsonb,
      -- What the last check built: deployed as it is.
      built            jsonb,
      deploy_id        text,
      challenge_job_id text,
      error            jsonb,
      deadline_at      timestamptz not null,
      created_at       timestamptz not null,
      ended_at         timestamptz
    );
    create index studio_runs_owner on studio_runs (owner_id, created_at desc, run_id desc);
    create index studio_runs_job on studio_runs (job_id);

    create table studio_iterations (
      run_id     text not null references studio_runs on delete cascade,
      number     int not null,
      commit     text not null,
      written_by text not null check (written_by in ('recipe', 'composition', 'copy', 'model')),
      checks     text check (checks in ('passed', 'failed')),
      message    text,
      findings   jsonb not null default '[]',
      created_at timestamptz not null,
      primary key (run_id, number)
    );

    -- Sample calls of the finished agent.
    create table studio_calls (
      run_id       text not null references studio_runs on delete cascade,
      number       int not null,
      iteration    int not null,
      skill        text not null,
      child_run_id text not null,
      good         boolean,
      reason       text,
      primary key (run_id, number)
    );

    -- Of somebody who may have no account. Only who has the token finds it.
    create table studio_guest_runs (
      token_sha256 text primary key,
      brief        jsonb not null,
      recipe       text not null check (recipe in ('api_wrapper', 'webhook_transformer', 'file_retrieval', 'scheduled_digest', 'form_to_record', 'table_report', 'mail_triage', 'approval_desk', 'monitor_alert', 'mcp_bridge')),
      files        jsonb not null,
      created_at   timestamptz not null,
      expires_at   timestamptz not null,
      run_id       text references studio_runs on delete cascade
    );
    create index studio_guest_runs_expired on studio_guest_runs (expires_at);
    create index studio_guest_runs_run on studio_guest_runs (run_id) where run_id is not null;
  `,
  down: `
    drop table studio_guest_runs, studio_calls, studio_iterations, studio_runs, studio_plans;
  `,
};

import type { Knex } from 'knex';

/** Reviews of what is deployed, repairs of what fails, upgrades of runtimes and templates. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table review_runs (
      review_id      text primary key,
      agent_id       text not null references agents on delete cascade,
      deploy_id      text not null unique references deployments on delete cascade,
      job_id         text references jobs,
      state          text not null check (state in ('queued', 'running', 'passed', 'warning', 'failed', 'errored', 'skipped')),
      ref            text,
      summary        text not null default '',
      findings       jsonb not null default '[]',
      critical_count integer not null default 0,
      warning_count  integer not null default 0,
      info_count     integer not null default 0,
      lock_sha256    text,
      error          jsonb,
      created_at     timestamptz not null default now(),
      started_at     timestamptz,
      ended_at       timestamptz
    );
    create index review_runs_agent on review_runs (agent_id, created_at desc, review_id desc);
    create index review_runs_job on review_runs (job_id);

    -- Calls that failed by the agent's fault, and machines that did, of agents with self-healing alone.
    create table agent_failures (
      failure_id bigserial primary key,
      deploy_id  text not null references deployments on delete cascade,
      code       text not null,
      at         timestamptz not null default now()
    );
    create index agent_failures_deploy on agent_failures (deploy_id, at);
    create index agent_failures_at on agent_failures (at);

    create table agent_repairs (
      repair_id        text primary key,
      agent_id         text not null references agents on delete cascade,
      deploy_id        text not null references deployments on delete cascade,
      job_id           text references jobs,
      state            text not null check (state in ('queued', 'running', 'awaiting_secret', 'healed', 'needs_human')),
      policy           jsonb not null,
      error            jsonb not null,
      outcome          jsonb,
      steps            jsonb not null default '[]',
      missing          text[] not null default '{}',
      source_sha256    text not null,
      tests            text not null default 'not_run' check (tests in ('passed', 'failed', 'not_run')),
      changed_files    jsonb not null default '[]',
      healed_deploy_id text references deployments on delete set null,
      created_at       timestamptz not null default now(),
      ended_at         timestamptz
    );
    create unique index agent_repairs_open on agent_repairs (agent_id) where ended_at is null;
    create index agent_repairs_agent on agent_repairs (agent_id, created_at desc, repair_id desc);
    create index agent_repairs_deploy on agent_repairs (deploy_id);
    create index agent_repairs_healed on agent_repairs (healed_deploy_id);
    create index agent_repairs_job on agent_repairs (job_id);

    -- What it must stay equal to when it goes live, and in what it was not.
    alter table deployments add column upgrade_of text references deployments on delete set null;
    alter table deployments add column upgrade_kind text check (upgrade_kind in ('runtime', 'template'));
    alter table deployments add column differences jsonb;
    -- What its image was built with (RuntimeVersion.sdk); null: built before this was noted.
    alter table deployments add column sdk text;
    create index deployments_upgrade_of on deployments (upgrade_of) where upgrade_of is not null;
    create index deployments_healing on deployments (agent_id) where state = 'live' and manifest \\? 'self_healing';
    create index deployments_template on deployments (agent_id) where state = 'live' and manifest \\? 'template';

    create table template_versions (
      digest     text primary key,
      ref        text not null,
      version    text not null,
      files      jsonb not null,
      created_at timestamptz not null default now()
    );
    create index template_versions_ref on template_versions (ref, created_at desc);

    create table template_updates (
      update_id    text primary key,
      agent_id     text not null references agents on delete cascade,
      of_deploy_id text not null references deployments on delete cascade,
      state        text not null check (state in ('proposed', 'approved', 'applied', 'conflicted', 'rejected')),
      ref          text not null,
      from_version text not null,
      from_digest  text not null,
      to_version   text not null,
      to_digest    text not null,
      changed      jsonb not null default '[]',
      conflicts    jsonb not null default '[]',
      deploy_id    text references deployments on delete set null,
      created_at   timestamptz not null default now(),
      ended_at     timestamptz
    );
    create unique index template_updates_open on template_updates (agent_id) where ended_at is null;
    create index template_updates_agent on template_updates (agent_id, created_at desc);
    create index template_updates_of on template_updates (of_deploy_id);
    create index template_updates_deploy on template_updates (deploy_id);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table template_updates, template_versions, agent_repairs, agent_failures, review_runs;
    alter table deployments drop column upgrade_of, drop column upgrade_kind, drop column differences, drop column sdk;
    drop index if exists deployments_healing, deployments_template;
  `);
}

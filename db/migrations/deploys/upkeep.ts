// Repairs of what fails, upgrades of templates.
import type { Part } from '../../parts.ts';

export const upkeep: Part = {
  up: `
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
  `,
  down: `
    drop table template_updates, template_versions, agent_repairs, agent_failures;
  `,
};

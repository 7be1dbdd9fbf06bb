// Rehearsals of agents against scenarios, and each agent's registry of protocols.
import type { Part } from '../../parts.ts';

export const simulations: Part = {
  up: `
    create table protocol_entries (
      entry_id     text primary key,
      agent_id     text not null references agents,
      protocol_id  text not null,
      version      text not null,
      display_name text not null,
      risk_class   text not null check (risk_class in ('low', 'medium', 'high')),
      suite        jsonb not null,
      digest       text not null,
      kid          text not null references receipt_keys,
      signature    text not null,
      state        text not null check (state in ('draft', 'schema_validated', 'policy_reviewed', 'sandbox_simulated', 'enabled_private', 'enabled_public', 'deprecated', 'retired')),
      created_at   timestamptz not null,
      updated_at   timestamptz not null,
      unique (agent_id, protocol_id, version)
    );
    create index protocol_entries_kid on protocol_entries (kid);

    create table protocol_moves (
      entry_id   text not null references protocol_entries on delete cascade,
      seq        integer not null,
      from_state text,
      to_state   text not null,
      -- null: the platform
      moved_by   text references users,
      note       text not null,
      at         timestamptz not null,
      primary key (entry_id, seq)
    );
    create index protocol_moves_by on protocol_moves (moved_by);

    create table protocol_simulations (
      job_id               text primary key references jobs,
      agent_id             text not null references agents,
      owner_id             text not null references users,
      deploy_id            text not null references deployments,
      version              text,
      protocol_id          text not null,
      protocol_version     text not null,
      display_name         text not null,
      template_refs        text[] not null default '{}',
      suite                jsonb not null,
      suite_digest         text not null,
      seed                 integer not null,
      run_budget_cents     integer not null,
      budget_ceiling_cents integer not null,
      ttl_seconds          integer not null,
      max_episodes         integer not null,
      deadline_at          timestamptz not null,
      -- Where the image is, and so the machine.
      node                 text not null,
      -- Of the throw-away account: it refers to nothing, since it outlives that.
      stage_user_id        text,
      stage_removed_at     timestamptz,
      -- Of models, when the account went.
      spent_micros         bigint not null default 0,
      -- No more scenarios are added.
      closed_at            timestamptz,
      verdict              text check (verdict in ('passed', 'failed', 'incomplete')),
      digest               text,
      created_at           timestamptz not null,
      ended_at             timestamptz
    );
    create index protocol_simulations_agent on protocol_simulations (agent_id, job_id desc);
    create index protocol_simulations_owner on protocol_simulations (owner_id);
    create index protocol_simulations_deploy on protocol_simulations (deploy_id);
    create index protocol_simulations_stages on protocol_simulations (created_at) where stage_user_id is not null and stage_removed_at is null;
    create unique index protocol_simulations_stage_user on protocol_simulations (stage_user_id) where stage_user_id is not null;

    create table protocol_scenario_runs (
      job_id     text not null references protocol_simulations on delete cascade,
      position   integer not null,
      scenario   text not null,
      seed       integer not null,
      state      text not null check (state in ('queued', 'running', 'passed', 'failed', 'skipped', 'errored', 'cancelled')),
      attempt    integer not null default 0,
      events     jsonb not null default '[]',
      observed   jsonb not null default '[]',
      broken     jsonb not null default '[]',
      reason     text,
      digest     text,
      started_at timestamptz,
      ended_at   timestamptz,
      primary key (job_id, position)
    );
  `,
  down: `
    drop table protocol_scenario_runs, protocol_simulations, protocol_moves, protocol_entries;
  `,
};

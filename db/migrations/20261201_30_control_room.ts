import type { Knex } from 'knex';

/** What an account lets runs do that work for it or are of its agents, what was refused by it, and what is counted for it. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- An account without a row has set nothing, and nothing is refused.
    create table control_room_policies (
      user_id                         text primary key references users (user_id) on delete cascade,
      monthly_budget_cents            integer not null check (monthly_budget_cents >= 0),
      run_budget_cents                integer not null check (run_budget_cents >= 0),
      -- null: no such budget. Of a day in UTC.
      daily_budget_cents              integer check (daily_budget_cents >= 0),
      agent_daily_budget_cents        integer check (agent_daily_budget_cents >= 0),
      person_daily_budget_cents       integer check (person_daily_budget_cents >= 0),
      max_agent_calls_per_run         integer not null check (max_agent_calls_per_run >= 0),
      require_approval_for_file_writes boolean not null,
      deny_external_network           boolean not null,
      only_approved_agents            boolean not null,
      approved_agents                 text[] not null,
      pii_safe_mode                   boolean not null,
      version                         integer not null,
      -- of the clock of the database: processes look for what is newer than what they know
      changed_at                      timestamptz not null default now()
    );
    create index control_room_policies_changed on control_room_policies (changed_at);

    create table policy_denials (
      denial_id     text primary key,
      -- one row for the same refusal of one run: what a run repeats is counted
      denial_key    text not null unique,
      -- the account whose policy refused
      user_id       text not null references users,
      action        text not null check (action in ('handoff', 'grant', 'expand_scope', 'write_file', 'egress', 'spend', 'publish', 'deploy')),
      outcome       text not null check (outcome in ('deny', 'ask')),
      -- a member of the policy, or the rule that decided
      rule          text not null,
      resource      text not null,
      message       text not null,
      agent_name    text,
      run_id        text,
      root_run_id   text,
      job_id        text,
      decision_id   text,
      policy_sha256 text not null,
      policy_version integer not null,
      count         integer not null default 1,
      created_at    timestamptz not null,
      last_at       timestamptz not null
    );
    create index policy_denials_user on policy_denials (user_id, created_at desc, denial_id desc);
    create index policy_denials_run on policy_denials (run_id) where run_id is not null;

    -- Calls of agents in one chain of runs, as far as an account counts them.
    create table policy_counts (
      count_id   text primary key,
      user_id    text not null references users,
      taken      integer not null,
      created_at timestamptz not null default now()
    );
    create index policy_counts_user on policy_counts (user_id);
    create index policy_counts_created on policy_counts (created_at);

    -- Its host lets it reach nothing outside.
    alter table instances add column network_denied boolean not null default false;

    -- What the proxy of a host refused, so that each refusal is taken once: how far it was read.
    create table policy_network_positions (
      node    text primary key,
      boot_id text not null,
      seq     bigint not null
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table policy_network_positions;
    alter table instances drop column network_denied;
    drop table policy_counts, policy_denials, control_room_policies;
  `);
}

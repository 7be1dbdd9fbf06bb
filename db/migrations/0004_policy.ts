import type { Knex } from 'knex';

/** What accounts let runs do: the switches of the control room, rules of their own, what was decided and refused. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- An account without a row has set nothing, and nothing is refused.
    create table control_room_policies (
      user_id                          text primary key references users on delete cascade,
      monthly_budget_cents             integer not null check (monthly_budget_cents >= 0),
      run_budget_cents                 integer not null check (run_budget_cents >= 0),
      -- null: no such budget. Of a day in UTC.
      daily_budget_cents               integer check (daily_budget_cents >= 0),
      agent_daily_budget_cents         integer check (agent_daily_budget_cents >= 0),
      person_daily_budget_cents        integer check (person_daily_budget_cents >= 0),
      max_agent_calls_per_run          integer not null check (max_agent_calls_per_run >= 0),
      require_approval_for_file_writes boolean not null,
      deny_external_network            boolean not null,
      only_approved_agents             boolean not null,
      approved_agents                  text[] not null,
      pii_safe_mode                    boolean not null,
      version                          integer not null,
      -- of the clock of the database: processes look for what is newer than what they know
      changed_at                       timestamptz not null default now()
    );
    create index control_room_policies_changed on control_room_policies (changed_at);

    -- Every version of an account's rules; the highest holds. policies: [{name, text}].
    create table policy_rules (
      owner_id        text not null references users on delete cascade,
      version         integer not null check (version > 0),
      default_outcome text not null check (default_outcome in ('allow', 'deny')),
      record_allowed  boolean not null,
      policies        jsonb not null,
      hash            text not null,
      created_at      timestamptz not null default now(),
      primary key (owner_id, version)
    );

    -- What rules decided, for some days. request: the facts they were told. It names no other row: it outlives them, and is written in batches.
    create table policy_decisions (
      decision_id   text primary key,
      owner_id      text not null,
      action        text not null check (action in ('handoff', 'grant', 'expand_scope', 'write_file', 'egress', 'spend', 'publish', 'deploy')),
      outcome       text not null check (outcome in ('allow', 'ask', 'deny')),
      reasons       text[] not null,
      rules_version integer not null,
      policy_hash   text not null,
      request       jsonb not null,
      decided_at    timestamptz not null
    );
    create index policy_decisions_of on policy_decisions (owner_id, decision_id);
    create index policy_decisions_by_outcome on policy_decisions (owner_id, outcome, decision_id);
    create index policy_decisions_by_action on policy_decisions (owner_id, action, decision_id);
    create index policy_decisions_time on policy_decisions (owner_id, decided_at desc, decision_id desc);

    create table policy_denials (
      denial_id      text primary key,
      -- one row for the same refusal of one run: what a run repeats is counted
      denial_key     text not null unique,
      -- the account whose policy refused
      user_id        text not null references users,
      action         text not null check (action in ('handoff', 'grant', 'expand_scope', 'write_file', 'egress', 'spend', 'publish', 'deploy')),
      outcome        text not null check (outcome in ('deny', 'ask')),
      -- a member of the policy, or the rule that decided
      rule           text not null,
      resource       text not null,
      message        text not null,
      agent_name     text,
      run_id         text,
      root_run_id    text,
      job_id         text,
      decision_id    text,
      policy_sha256  text not null,
      policy_version integer not null,
      count          integer not null default 1,
      created_at     timestamptz not null,
      last_at        timestamptz not null
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

    -- What the proxy of a host refused, so that each refusal is taken once: how far it was read.
    create table policy_network_positions (
      node    text primary key,
      boot_id text not null,
      seq     bigint not null
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table policy_network_positions, policy_counts, policy_denials, policy_decisions, policy_rules, control_room_policies');
}

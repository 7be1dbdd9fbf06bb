import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
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
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table policy_decisions; drop table policy_rules;');
}

import type { Knex } from 'knex';

/** Agents are told who calls them: accounts get numbers, and owners grant the scopes of their skills. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Drawn, not counted: an agent that is told it does not learn how many accounts there are.
    alter table users add column account_number bigint not null default (1 + floor(random() * 9007199254740990))::bigint;
    create unique index users_account_number on users (account_number);

    create table caller_scopes (
      agent_id   text not null references agents on delete cascade,
      -- A person, or an organization: whoever acts for it.
      user_id    text not null references users on delete cascade,
      scopes     text[] not null check (cardinality(scopes) > 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (agent_id, user_id)
    );
    create index caller_scopes_user on caller_scopes (user_id);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table caller_scopes;
    alter table users drop column account_number;
  `);
}

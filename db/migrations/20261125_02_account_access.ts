import type { Knex } from 'knex';

/** How many calls of an agent the platform has funded for an account. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table account_access (
      user_id    text not null references users on delete cascade,
      agent_id   text not null references agents on delete cascade,
      used       integer not null check (used >= 0),
      updated_at timestamptz not null default now(),
      primary key (user_id, agent_id)
    );
    create index account_access_agent on account_access (agent_id);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table account_access');
}

import type { Knex } from 'knex';

/** To which agents a person agreed that they learn who they are. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table agent_consents (
      user_id text not null references users (user_id) on delete cascade,
      agent_id text not null references agents (agent_id) on delete cascade,
      created_at timestamptz not null default now(),
      primary key (user_id, agent_id)
    );
    create index agent_consents_agent on agent_consents (agent_id);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table agent_consents');
}

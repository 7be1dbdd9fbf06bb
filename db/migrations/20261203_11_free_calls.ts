import type { Knex } from 'knex';

/** Calls of free trials, counted; and which budgets a charge holds money of. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- A call of a free trial counts when it begins, however it ends.
    create table free_calls (
      payer_id text not null,
      agent_id text not null references agents,
      skill    text not null,
      used     int not null check (used > 0),
      primary key (payer_id, agent_id, skill)
    );
    create index free_calls_agent on free_calls (agent_id);

    -- Ids of llm_caps under which held_micros is reserved.
    alter table charges add column cap_ids text[] not null default '{}';
    -- Who called, where a person did.
    alter table charges add column person_id text;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table charges drop column cap_ids, drop column person_id;
    drop table free_calls;
  `);
}

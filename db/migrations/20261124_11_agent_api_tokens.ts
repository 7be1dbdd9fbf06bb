import type { Knex } from 'knex';

/** Tokens of an agent get the number by which the API names them, and the skills they may call (null: all). */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table platform_tokens add column number serial unique, add column skills text[];
    create index platform_tokens_agent on platform_tokens (agent_id, kind);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index platform_tokens_agent;
    alter table platform_tokens drop column number, drop column skills;
  `);
}

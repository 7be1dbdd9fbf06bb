import type { Knex } from 'knex';

/** A token of an agent with a placement is an integration link; null: an API token. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table platform_tokens add column placement text check (placement in ('header', 'url_query'));
    alter table platform_tokens add constraint platform_tokens_link check (placement is null or kind = 'agent_api');
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from platform_tokens where placement is not null;
    alter table platform_tokens drop column placement;
  `);
}

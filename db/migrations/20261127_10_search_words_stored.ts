import type { Knex } from 'knex';

const listed = `deleted_at is null and visibility = 'public' and live_deploy_id is not null`;

/** The words of an agent are taken from its text once, when the text changes: not for each agent that a search ranks, and not with each call. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    drop index agents_listed_words;
    alter table agents add column search tsvector generated always as (to_tsvector('simple', search_text)) stored;
    create index agents_listed_words on agents using gin (search) with (fastupdate = off) where ${listed};
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table agents drop column search;
    create index agents_listed_words on agents using gin (to_tsvector('simple', search_text)) with (fastupdate = off) where ${listed};
  `);
}

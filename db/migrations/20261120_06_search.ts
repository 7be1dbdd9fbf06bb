import type { Knex } from 'knex';

const listed = `deleted_at is null and visibility = 'public' and live_deploy_id is not null`;

/**
 * Search looks at what is listed; the account's own agents are found by their owner. Misspelt words are looked up among known words:
 * trigrams of whole texts cost as much as there are agents, and were written again with every call that an agent got.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    drop index agents_search, agents_trigram, agents_tags, agents_skills;
    create index agents_listed_words on agents using gin (to_tsvector('simple', search_text)) where ${listed};
    create index agents_listed_tags on agents using gin (tags) where ${listed};
    create index agents_listed_skills on agents using gin (skills) where ${listed};
    create index agents_listed_names on agents (name) where ${listed};

    -- Words of names, tags and skills that agents ever had; only ever added to.
    create table search_words (word text primary key);
    create index search_words_trigram on search_words using gin (word gin_trgm_ops);
    insert into search_words
      select distinct m[1] from agents,
        regexp_matches(lower(name || ' ' || array_to_string(tags, ' ') || ' ' || array_to_string(skills, ' ')), '[[:alpha:]]{4,32}', 'g') m;

    -- What housekeeping looks for.
    create index web_sessions_expiry on web_sessions (expires_at);
    create index platform_tokens_expiry on platform_tokens (expires_at) where expires_at is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index platform_tokens_expiry, web_sessions_expiry;
    drop table search_words;
    drop index agents_listed_names, agents_listed_skills, agents_listed_tags, agents_listed_words;
    create index agents_search on agents using gin (to_tsvector('simple', search_text));
    create index agents_trigram on agents using gin (search_text gin_trgm_ops);
    create index agents_tags on agents using gin (tags);
    create index agents_skills on agents using gin (skills);
  `);
}

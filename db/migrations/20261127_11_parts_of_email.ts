import type { Knex } from 'knex';

/**
 * Every end of an email address is a word of the index, so a part of the address is the beginning of one: it is read at one place. The
 * trigrams of a part are in nearly every address, and each was compared with all accounts. Ends are cut after 16 letters
 * (core/platform/user/by-email.ts compares the rest).
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- The cost keeps PostgreSQL from making the words of every account where it could read the index.
    create function email_ends(email text) returns tsvector language sql immutable strict parallel safe cost 1000 as $$
      select array_to_tsvector(array(select substr(email, at, 16) from generate_series(1, length(email)) at))
    $$;
    drop index users_email_trigram;
    create index users_email_ends on users using gin (email_ends(lower(email))) with (fastupdate = off);
    -- A sign-in notes the time only: with room on the page no index is written.
    alter table users set (fillfactor = 85);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table users reset (fillfactor);
    drop index users_email_ends;
    drop function email_ends;
    create index users_email_trigram on users using gin (lower(email) gin_trgm_ops);
  `);
}

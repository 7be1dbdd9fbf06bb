import type { Knex } from 'knex';

/**
 * Filters that ask for a part of a text (`co`, `ew`), by its trigrams. Rows go into the index at once: what waits in a pending list is read by every
 * search, and one write in many would pay for all of it.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index scim_user_values_trigram on scim_user_values using gin (organization_id, attribute, value gin_trgm_ops) with (fastupdate = off);
    create index scim_users_name_trigram on scim_users using gin (organization_id, user_name_folded gin_trgm_ops) with (fastupdate = off);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index scim_user_values_trigram, scim_users_name_trigram');
}

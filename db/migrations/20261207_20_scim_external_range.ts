import type { Knex } from 'knex';

/** Of an expression PostgreSQL has statistics for a whole index alone: with a partial one it looked at every user for `externalId lt "x"`. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    drop index scim_users_external;
    create index scim_users_external on scim_users (organization_id, left(external_id, 200));
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index scim_users_external;
    create index scim_users_external on scim_users (organization_id, left(external_id, 200)) where external_id is not null;
  `);
}

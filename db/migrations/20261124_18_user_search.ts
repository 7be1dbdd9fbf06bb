import type { Knex } from 'knex';

/** Operators find accounts by a part of the email address. */
export async function up(db: Knex): Promise<void> {
  await db.raw('create index users_email_trigram on users using gin (lower(email) gin_trgm_ops)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index users_email_trigram');
}

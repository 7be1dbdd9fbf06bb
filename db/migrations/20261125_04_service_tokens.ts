import type { Knex } from 'knex';

/** The platform routes that a service's token opens; null: all, as tokens had them that were made at set-up. */
export async function up(db: Knex): Promise<void> {
  await db.raw('alter table platform_tokens add column routes text[]');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table platform_tokens drop column routes');
}

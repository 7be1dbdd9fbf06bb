import type { Knex } from 'knex';

/** The commit that holds an agent's source as it was generated, untouched; null: it was not generated. */
export async function up(db: Knex): Promise<void> {
  await db.raw('alter table agents add column generated_commit text');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table agents drop column generated_commit');
}

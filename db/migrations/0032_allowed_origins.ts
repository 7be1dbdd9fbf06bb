import type { Knex } from 'knex';

/** The owner of an agent lists the web pages that may call it. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Null: what svc.yaml of the live deployment says, else the default of the visibility.
    alter table agents add column allowed_origins text[];
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table agents drop column allowed_origins');
}

import type { Knex } from 'knex';

/** What the host says of a serving instance whose agent took itself out of service; null: it is well. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table instances add column unwell_reason text, add column unwell_since timestamptz;
    alter table instances add constraint instances_unwell check ((unwell_reason is null) = (unwell_since is null));
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table instances drop column unwell_reason, drop column unwell_since');
}

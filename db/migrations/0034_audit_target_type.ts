import type { Knex } from 'knex';

/** A row of the audit log says what kind of thing it is about, so that its id can be looked up. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Absent: the row is older than the column.
    alter table audit_log add column target_type text;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table audit_log drop column target_type');
}

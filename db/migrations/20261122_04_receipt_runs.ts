import type { Knex } from 'knex';

/** A run that only computed has no row: its receipt is what says that it has ended, and its credential with it. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table receipts add column run_id text;
    create index receipts_run on receipts (run_id);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table receipts drop column run_id');
}

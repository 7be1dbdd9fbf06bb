import type { Knex } from 'knex';

/** Rows that change with every event of a run: with room on their page for the next version, no index is written. Holds for pages written from now on. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table runs set (fillfactor = 60);
    alter table jobs set (fillfactor = 75);
    alter table threads set (fillfactor = 75);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table runs reset (fillfactor); alter table jobs reset (fillfactor); alter table threads reset (fillfactor)');
}

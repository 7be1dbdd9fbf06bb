import type { Knex } from 'knex';

/** New words go into the index at once: what waits beside it is read through by every search, up to 4 MiB. */
export async function up(db: Knex): Promise<void> {
  await db.raw('alter index agents_listed_words set (fastupdate = off)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter index agents_listed_words reset (fastupdate)');
}

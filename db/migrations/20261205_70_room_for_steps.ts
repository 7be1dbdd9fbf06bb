import type { Knex } from 'knex';

/** Since when a step waits because its account has as many runs under way as an operator allows. */
export async function up(db: Knex): Promise<void> {
  await db.raw('alter table dag_nodes add column room_since timestamptz');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table dag_nodes drop column room_since');
}

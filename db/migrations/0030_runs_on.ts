import type { Knex } from 'knex';

/** Agents choose their Python and Node: each deployment says what it runs on. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Language and version, as the runtime host built it; null: before this release, or a compiled language.
    alter table deployments add column runs_on text;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table deployments drop column runs_on');
}

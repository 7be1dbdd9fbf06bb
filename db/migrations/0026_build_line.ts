import type { Knex } from 'knex';

/** Builds wait in a line whose places never rise, and are told how long it takes. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- When it got a builder and gave it back; null: it needed none, or it is of an older version of the platform.
    alter table deployments add column build_began_at timestamptz, add column build_ended_at timestamptz;
    create index deployments_built on deployments (created_by, build_ended_at) where build_ended_at is not null;
    create index deployments_last_built on deployments (build_ended_at desc) where build_ended_at is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table deployments drop column build_began_at, drop column build_ended_at');
}

import type { Knex } from 'knex';

/** A question of a called agent waits where the person called: at the run that began the line of calls. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- A user's call whose caller understands that it becomes durable.
    alter table runs add column adoptable boolean not null default false;
    create index runs_root on runs (root_run_id) where root_run_id is not null;
    -- Agents between the person and the one that asks, the first one first.
    alter table waits add column called_by text[] not null default '{}';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index runs_root;
    alter table runs drop column adoptable;
    alter table waits drop column called_by;
  `);
}

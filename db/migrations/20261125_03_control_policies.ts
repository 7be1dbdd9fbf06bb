import type { Knex } from 'knex';

/** What operators allow accounts. An account without a row may do everything. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table control_policies (
      user_id           text primary key references users (user_id) on delete cascade,
      suspended         boolean not null,
      may_deploy        boolean not null,
      may_publish       boolean not null,
      may_call_external boolean not null,
      -- Members that are null have the installation's limit.
      limits            jsonb not null,
      reason            text not null,
      version           integer not null,
      updated_at        timestamptz not null default now(),
      -- Kept when that operator's account goes.
      updated_by        text not null
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table control_policies');
}

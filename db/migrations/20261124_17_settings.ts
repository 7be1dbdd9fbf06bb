import type { Knex } from 'knex';

/** Limits that operators changed; contract/platform/settings.ts lists all there are, with their defaults. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table platform_settings (
      key        text primary key,
      value      integer not null,
      version    integer not null default 1,
      updated_at timestamptz not null default now()
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table platform_settings');
}

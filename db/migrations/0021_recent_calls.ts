import type { Knex } from 'knex';

/** Calls of the last minute are bounded in every minute, not in those of the clock. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Second since the epoch to calls in it, of the last minute.
    alter table control_policies add column recent_calls jsonb not null default '{}';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table control_policies drop column recent_calls');
}

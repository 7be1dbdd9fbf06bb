import type { Knex } from 'knex';

/** What becomes of times that a clock skips or shows twice; how far ahead the workflow engine knows a schedule's times. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table schedules
      add column skipped_times text not null default 'run_after' check (skipped_times in ('run_after', 'leave_out')),
      add column repeated_times text not null default 'once' check (repeated_times in ('once', 'twice')),
      -- Null: not written yet, or written as cron expressions, which the engine read in its own way. Both are written anew.
      add column planned_until timestamptz;
    create index schedules_planned on schedules (planned_until) where deleted_at is null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table schedules drop column skipped_times, drop column repeated_times, drop column planned_until');
}

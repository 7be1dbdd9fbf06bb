import type { Knex } from 'knex';

/** What single accounts have of their own in what the platform funds; and sums over all accounts read the days of a period alone. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table billing_overrides (
      user_id                text primary key references users (user_id) on delete cascade,
      -- null: as every account.
      funded_calls_per_agent integer check (funded_calls_per_agent >= 0),
      -- null: until it is changed.
      expires_at             timestamptz,
      reason                 text not null,
      version                integer not null,
      updated_at             timestamptz not null default now(),
      -- Kept when that operator's account goes.
      updated_by             text not null
    );
    create index llm_usage_all_days on llm_usage (day);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index llm_usage_all_days; drop table billing_overrides');
}

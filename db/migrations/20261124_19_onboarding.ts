import type { Knex } from 'knex';

/** Where a user is in the tour, and whether they put it away. What they have done is derived from what they have. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table onboarding (
      user_id      text primary key references users (user_id) on delete cascade,
      tour_index   integer not null default 0,
      dismissed_at timestamptz
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table onboarding');
}

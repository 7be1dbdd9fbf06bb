import type { Knex } from 'knex';

/** Each time an owner ended the demand of single sign-on, so that the other owners learn of it by mail. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table sso_openings (
      opening_id      text primary key,
      organization_id text not null references organizations on delete cascade,
      -- user_id; null: of a person who was purged.
      opened_by       text references users,
      opened_at       timestamptz not null,
      -- A process writes the mails.
      claimed_at      timestamptz,
      -- They were sent, or cannot be.
      mailed_at       timestamptz
    );
    create index sso_openings_organization on sso_openings (organization_id);
    create index sso_openings_by on sso_openings (opened_by);
    create index sso_openings_unsent on sso_openings (opened_at) where mailed_at is null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`drop table sso_openings;`);
}

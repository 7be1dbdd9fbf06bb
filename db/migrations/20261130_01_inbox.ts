import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Who wants to hear of what waits for them. mail_from: by mail, of what is opened from then on; null: not by mail. mailed_at: the last one.
    create table notifications (
      user_id   text primary key references users on delete cascade,
      mail_from timestamptz,
      mailed_at timestamptz
    );
    -- mail_claimed_at: a process writes the mail that names it; mailed_at: it was sent, or cannot be.
    alter table waits add column mail_claimed_at timestamptz, add column mailed_at timestamptz;
    create index waits_open on waits (asked_of, expires_at, wait_id) where state = 'pending';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index waits_open;
    alter table waits drop column mail_claimed_at, drop column mailed_at;
    drop table notifications;
  `);
}

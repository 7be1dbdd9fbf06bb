import type { Knex } from 'knex';

/** One wait may be mailed to several: members of an organization. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table wait_mails (
      wait_id    text not null references waits on delete cascade,
      user_id    text not null references users on delete cascade,
      created_at timestamptz not null,
      -- A process writes the mail that names it.
      claimed_at timestamptz,
      -- It was sent, or cannot be.
      mailed_at  timestamptz,
      primary key (wait_id, user_id)
    );
    create index wait_mails_unsent on wait_mails (user_id) where mailed_at is null;
    create index wait_mails_user on wait_mails (user_id);

    -- The stage for which its rows in wait_mails were written; 0 where no rule has stages.
    alter table waits add column mail_stage int;
    insert into wait_mails (wait_id, user_id, created_at, claimed_at, mailed_at)
      select w.wait_id, w.asked_of, w.created_at, w.mail_claimed_at, w.mailed_at from waits w join users u on u.user_id = w.asked_of
      where w.state = 'pending' and (w.mailed_at is not null or w.mail_claimed_at is not null);
    update waits set mail_stage = coalesce(approval_stage, 0)
      where state = 'pending' and (mailed_at is not null or mail_claimed_at is not null or created_at < now() - interval '1 day');
    alter table waits drop column mail_claimed_at, drop column mailed_at;
    create index waits_unaddressed on waits (created_at) where state = 'pending' and mail_stage is distinct from coalesce(approval_stage, 0);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index waits_unaddressed;
    alter table waits drop column mail_stage, add column mail_claimed_at timestamptz, add column mailed_at timestamptz;
    update waits w set mail_claimed_at = m.claimed_at, mailed_at = m.mailed_at from wait_mails m where m.wait_id = w.wait_id and m.user_id = w.asked_of;
    drop table wait_mails;
  `);
}

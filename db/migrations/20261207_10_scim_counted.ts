import type { Knex } from 'knex';

/** How many users and groups are provisioned, kept with the organization: each new one would else count all of them. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table organizations add column scim_users integer not null default 0, add column scim_groups integer not null default 0;
    update organizations o set
      scim_users = (select count(*) from scim_users s where s.organization_id = o.organization_id),
      scim_groups = (select count(*) from scim_groups s where s.organization_id = o.organization_id);

    -- Columns are named as the tables that they count.
    create function count_scim_resources() returns trigger language plpgsql as $$
    begin
      execute format(
        'update organizations o set %1$I = o.%1$I + $1 * c.n
         from (select organization_id, count(*) as n from changed group by organization_id) c where o.organization_id = c.organization_id', tg_table_name)
        using case tg_op when 'INSERT' then 1 else -1 end;
      return null;
    end $$;
    create trigger scim_users_made after insert on scim_users
      referencing new table as changed for each statement execute function count_scim_resources();
    create trigger scim_users_gone after delete on scim_users
      referencing old table as changed for each statement execute function count_scim_resources();
    create trigger scim_groups_made after insert on scim_groups
      referencing new table as changed for each statement execute function count_scim_resources();
    create trigger scim_groups_gone after delete on scim_groups
      referencing old table as changed for each statement execute function count_scim_resources();
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger scim_users_made on scim_users;
    drop trigger scim_users_gone on scim_users;
    drop trigger scim_groups_made on scim_groups;
    drop trigger scim_groups_gone on scim_groups;
    drop function count_scim_resources();
    alter table organizations drop column scim_users, drop column scim_groups;
  `);
}

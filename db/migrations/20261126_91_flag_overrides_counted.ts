import type { Knex } from 'knex';

/** How many accounts have a value of their own, kept with the flag: the list of flags would else read every one of them. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table feature_flags add column overrides integer not null default 0;
    update feature_flags f set overrides = (select count(*) from feature_flag_overrides o where o.flag_key = f.flag_key);

    create function count_flag_overrides() returns trigger language plpgsql as $$
    begin
      update feature_flags f set overrides = f.overrides + case tg_op when 'INSERT' then c.n else -c.n end
      from (select flag_key, count(*) as n from changed group by flag_key) c where f.flag_key = c.flag_key;
      return null;
    end $$;
    create trigger flag_overrides_made after insert on feature_flag_overrides
      referencing new table as changed for each statement execute function count_flag_overrides();
    create trigger flag_overrides_gone after delete on feature_flag_overrides
      referencing old table as changed for each statement execute function count_flag_overrides();
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger flag_overrides_made on feature_flag_overrides;
    drop trigger flag_overrides_gone on feature_flag_overrides;
    drop function count_flag_overrides();
    alter table feature_flags drop column overrides;
  `);
}

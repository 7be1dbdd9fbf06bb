// What operators switch, with a default for everybody and values of single accounts; and where a user is in the tour.
import type { Part } from '../../parts.ts';

export const flags: Part = {
  up: `
    create table feature_flags (
      flag_key      text primary key,
      type          text not null check (type in ('boolean', 'string', 'number', 'choice')),
      choices       jsonb,
      default_value jsonb not null,
      description   text not null default '',
      created_at    timestamptz not null default now(),
      updated_at    timestamptz not null default now(),
      -- How many accounts have a value of their own: the list of flags would else read every one of them.
      overrides     integer not null default 0,
      constraint feature_flags_choices check ((type = 'choice') = (choices is not null))
    );

    create table feature_flag_overrides (
      user_id    text not null references users on delete cascade,
      flag_key   text not null references feature_flags on delete cascade,
      value      jsonb not null,
      updated_at timestamptz not null default now(),
      primary key (user_id, flag_key)
    );
    create index feature_flag_overrides_flag on feature_flag_overrides (flag_key);

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

    -- Where a user is in the tour, and whether they put it away. What they have done is derived from what they have.
    create table onboarding (
      user_id      text primary key references users on delete cascade,
      tour_index   integer not null default 0,
      dismissed_at timestamptz
    );
  `,
  down: `
    drop table onboarding, feature_flag_overrides, feature_flags;
    drop function count_flag_overrides;
  `,
};

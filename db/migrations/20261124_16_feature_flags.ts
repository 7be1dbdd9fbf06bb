import type { Knex } from 'knex';

/** What operators switch, with a default for everybody and values of single accounts. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table feature_flags (
      flag_key      text primary key,
      type          text not null check (type in ('boolean', 'string', 'number', 'choice')),
      choices       jsonb,
      default_value jsonb not null,
      description   text not null default '',
      created_at    timestamptz not null default now(),
      updated_at    timestamptz not null default now(),
      constraint feature_flags_choices check ((type = 'choice') = (choices is not null))
    );
    create table feature_flag_overrides (
      user_id    text not null references users (user_id) on delete cascade,
      flag_key   text not null references feature_flags (flag_key) on delete cascade,
      value      jsonb not null,
      updated_at timestamptz not null default now(),
      primary key (user_id, flag_key)
    );
    create index feature_flag_overrides_flag on feature_flag_overrides (flag_key);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table feature_flag_overrides, feature_flags');
}

import type { Knex } from 'knex';

/** What operators set: limits, what accounts may do, what single accounts get. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Limits that operators changed; contract/platform/settings.ts lists all there are, with their defaults.
    create table platform_settings (
      key        text primary key,
      value      integer not null,
      version    integer not null default 1,
      updated_at timestamptz not null default now()
    );

    -- What operators allow accounts. An account without a row may do everything.
    create table control_policies (
      user_id           text primary key references users on delete cascade,
      suspended         boolean not null,
      may_deploy        boolean not null,
      may_publish       boolean not null,
      may_call_external boolean not null,
      -- Members that are null have the installation's limit.
      limits            jsonb not null,
      reason            text not null,
      version           integer not null,
      updated_at        timestamptz not null default now(),
      -- Kept when that operator's account goes.
      updated_by        text not null
    );

    -- What single accounts have of their own in what the platform funds.
    create table billing_overrides (
      user_id                text primary key references users on delete cascade,
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
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table billing_overrides, control_policies, platform_settings');
}

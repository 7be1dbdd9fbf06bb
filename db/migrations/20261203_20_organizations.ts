import type { Knex } from 'knex';

/** An organization is an account: a row of `users` that nobody signs in to, so that whatever has an owner may have an organization as one. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table users add column kind text not null default 'person' check (kind in ('person', 'organization'));

    create table organizations (
      organization_id text primary key references users,
      slug            text not null unique,
      name            text not null,
      created_by      text,
      created_at      timestamptz not null
    );

    create table organization_members (
      member_id       text primary key,
      organization_id text not null references organizations,
      -- null: invited, and nobody has accepted
      user_id         text references users,
      -- Lower case: who was invited, or the account's own when it joined.
      email           text not null,
      role            text not null check (role in ('owner', 'admin', 'developer', 'operator', 'auditor', 'billing')),
      -- suspended: by the organization or its identity provider; has no rights, and is still listed.
      state           text not null check (state in ('invited', 'active', 'suspended')),
      source          text not null check (source in ('person', 'scim', 'domain', 'sso')),
      invited_by      text,
      created_at      timestamptz not null,
      joined_at       timestamptz,
      updated_at      timestamptz not null,
      unique (organization_id, user_id),
      unique (organization_id, email),
      check ((state = 'invited') = (user_id is null))
    );
    create index organization_members_user on organization_members (user_id) where state = 'active';
    create index organization_members_email on organization_members (email) where state = 'invited';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table organization_members, organizations;
    alter table users drop column kind;
  `);
}

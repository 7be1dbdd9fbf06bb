import type { Knex } from 'knex';

/** What identity providers provision by SCIM. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table scim_users (
      scim_id          text collate "C" primary key,
      organization_id  text not null references organizations,
      -- The member that this is; null: nobody can be invited for it, or it is not active and nobody has accepted.
      member_id        text references organization_members on delete set null,
      user_name_folded text collate "C" not null,
      external_id      text collate "C",
      -- Lower case: whom the organization invites.
      email            text,
      active           boolean not null,
      -- With canonical names; without what the server writes.
      document         jsonb not null,
      version          int not null,
      created_at       timestamptz not null,
      updated_at       timestamptz not null,
      unique (organization_id, user_name_folded),
      unique (organization_id, email)
    );
    create index scim_users_listed on scim_users (organization_id, scim_id);
    create index scim_users_external on scim_users (organization_id, left(external_id, 200)) where external_id is not null;
    create index scim_users_member on scim_users (member_id) where member_id is not null;

    -- Each value of a document by which users are looked up. Text that is compared without its case is folded.
    create table scim_user_values (
      scim_id         text collate "C" not null references scim_users on delete cascade,
      attribute       text collate "C" not null,
      -- Of an attribute with several values: which of them.
      element         int not null,
      organization_id text not null,
      value           text collate "C" not null,
      primary key (scim_id, attribute, element)
    );
    create index scim_user_values_value on scim_user_values (organization_id, attribute, left(value, 200));

    create table scim_groups (
      scim_id             text collate "C" primary key,
      organization_id     text not null references organizations,
      display_name        text not null,
      display_name_folded text collate "C" not null,
      external_id         text collate "C",
      version             int not null,
      created_at          timestamptz not null,
      updated_at          timestamptz not null,
      unique (organization_id, display_name_folded)
    );
    create index scim_groups_listed on scim_groups (organization_id, scim_id);

    create table scim_group_members (
      group_id text collate "C" not null references scim_groups on delete cascade,
      user_id  text collate "C" not null references scim_users on delete cascade,
      primary key (group_id, user_id)
    );
    create index scim_group_members_user on scim_group_members (user_id);

    -- Which role the members of a group have. Nobody becomes an owner by it.
    create table scim_group_roles (
      organization_id text not null references organizations,
      -- Folded: the group may come later.
      group_name      text collate "C" not null,
      shown_name      text not null,
      role            text not null check (role in ('admin', 'developer', 'operator', 'billing', 'auditor')),
      primary key (organization_id, group_name)
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table scim_group_roles, scim_group_members, scim_groups, scim_user_values, scim_users');
}
